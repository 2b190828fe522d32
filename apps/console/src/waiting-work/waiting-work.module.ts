import { Module } from '@nestjs/common';
import { WaitingWorkMetrics } from './waiting-work-metrics';

/** Measures what waits for systems outside the site. */
@Module({ providers: [WaitingWorkMetrics] })
export class WaitingWorkModule {}
