import { Module } from '@nestjs/common';
import { SettlementBatcher } from './settlement-batcher';
import { SettlementMetrics } from './settlement-metrics';
import { UsageFolder } from './usage-folder';

/** Writes usage events and debits their cost. */
@Module({ providers: [SettlementBatcher, SettlementMetrics, UsageFolder], exports: [SettlementBatcher] })
export class SettlementModule {}
