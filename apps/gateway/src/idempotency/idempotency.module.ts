import { Module } from '@nestjs/common';
import { IdempotentCalls } from './idempotent-calls.service';

/** Calls that their clients may repeat. */
@Module({ providers: [IdempotentCalls], exports: [IdempotentCalls] })
export class IdempotencyModule {}
