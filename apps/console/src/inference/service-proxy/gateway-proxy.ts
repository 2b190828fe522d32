import { Inject, Injectable } from '@nestjs/common';
import { INFERENCE_CONFIG, type InferenceConfig } from '../inference.config';
import { consoleErrorOf } from './gateway-error';
import { ProxyMetrics } from './proxy-metrics';
import { ServiceProxy } from './service-proxy';

/** Forwards requests of the playground to the gateway. */
@Injectable()
export class GatewayProxy extends ServiceProxy {
  constructor(@Inject(INFERENCE_CONFIG) config: InferenceConfig, metrics: ProxyMetrics) {
    const { gateway: address } = config;
    const offer = 'a playground';
    super({ service: 'gateway', offer, address, limits: config, translateError: consoleErrorOf }, metrics);
  }
}
