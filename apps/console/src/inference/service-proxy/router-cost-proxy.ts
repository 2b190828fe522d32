import { Inject, Injectable } from '@nestjs/common';
import { COST_REPORT_CONFIG, type CostReportConfig } from '../../billing/cost-report/cost-report.config';
import { INFERENCE_CONFIG, type InferenceConfig } from '../inference.config';
import { ProxyMetrics } from './proxy-metrics';
import { ServiceProxy } from './service-proxy';

/** Forwards requests to the router-cost service, whose errors have the shape of the console. */
@Injectable()
export class RouterCostProxy extends ServiceProxy {
  constructor(
    @Inject(COST_REPORT_CONFIG) { routerCost: address }: CostReportConfig,
    @Inject(INFERENCE_CONFIG) limits: InferenceConfig,
    metrics: ProxyMetrics,
  ) {
    super({ service: 'router-cost', offer: 'the cost report', address, limits }, metrics);
  }
}
