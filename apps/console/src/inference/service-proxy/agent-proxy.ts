import { Inject, Injectable } from '@nestjs/common';
import { INFERENCE_CONFIG, type InferenceConfig } from '../inference.config';
import { ProxyMetrics } from './proxy-metrics';
import { ServiceProxy } from './service-proxy';

/** Forwards requests to the agent service, whose errors have the shape of the console. */
@Injectable()
export class AgentProxy extends ServiceProxy {
  constructor(@Inject(INFERENCE_CONFIG) config: InferenceConfig, metrics: ProxyMetrics) {
    super({ service: 'agent', offer: 'agents', address: config.agent, limits: config }, metrics);
  }
}
