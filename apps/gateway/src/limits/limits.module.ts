import { Module } from '@nestjs/common';
import { AccountLimits } from './account-limits';
import { LimitMetrics } from './limit-metrics';
import { LimitsService } from './limits.service';

/** Limits of requests, tokens and running calls, which all gateway processes share. */
@Module({ providers: [AccountLimits, LimitMetrics, LimitsService], exports: [LimitsService] })
export class LimitsModule {}
