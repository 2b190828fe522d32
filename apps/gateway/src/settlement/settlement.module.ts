import { Module } from '@nestjs/common';
import { SettlementBatcher } from './settlement-batcher';
import { SettlementMetrics } from './settlement-metrics';

/** Writes usage events and debits their cost. */
@Module({ providers: [SettlementBatcher, SettlementMetrics], exports: [SettlementBatcher] })
export class SettlementModule {}
