import { Inject, Injectable } from '@nestjs/common';
import { INFERENCE_CONFIG, type InferenceConfig } from '../inference.config';
import { ProxyMetrics } from './proxy-metrics';
import { ServiceProxy } from './service-proxy';

/** Chosen: a report takes less than a second, or some seconds where nothing is added up yet. No page waits for longer. */
const SILENCE_MILLIS = 30_000;

/** Forwards requests to the router-cost service, whose errors have the shape of the console. */
@Injectable()
export class RouterCostProxy extends ServiceProxy {
  constructor(@Inject(INFERENCE_CONFIG) config: InferenceConfig, metrics: ProxyMetrics) {
    const { routerCost: address } = config;
    const limits = { ...config, silenceMillis: Math.min(config.silenceMillis, SILENCE_MILLIS) };
    super({ service: 'router-cost', offer: 'the cost report', address, limits }, metrics);
  }
}
