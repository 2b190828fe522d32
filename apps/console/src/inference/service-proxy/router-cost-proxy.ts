import { Inject, Injectable } from '@nestjs/common';
import { INFERENCE_CONFIG, type InferenceConfig } from '../inference.config';
import { ProxyMetrics } from './proxy-metrics';
import { ServiceProxy } from './service-proxy';

/** Forwards requests to the router-cost service, whose errors have the shape of the console. */
@Injectable()
export class RouterCostProxy extends ServiceProxy {
  constructor(@Inject(INFERENCE_CONFIG) config: InferenceConfig, metrics: ProxyMetrics) {
    const { routerCost: address } = config;
    super({ service: 'router-cost', offer: 'the cost report', address, limits: config }, metrics);
  }
}
