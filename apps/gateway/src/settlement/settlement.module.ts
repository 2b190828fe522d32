import { Module } from '@nestjs/common';
import { SettlementBatcher } from './settlement-batcher';

/** Writes usage events and debits their cost. */
@Module({ providers: [SettlementBatcher], exports: [SettlementBatcher] })
export class SettlementModule {}
