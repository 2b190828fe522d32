import { Module } from '@nestjs/common';
import { ServiceProxyModule } from '../../inference/service-proxy/service-proxy.module';
import { CostReportController } from './cost-report.controller';

/** The cost of all accounts in a browser, through the router-cost service. */
@Module({ imports: [ServiceProxyModule], controllers: [CostReportController] })
export class CostReportModule {}
