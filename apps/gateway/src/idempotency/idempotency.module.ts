import { Module } from '@nestjs/common';
import { CallRelay } from './call-relay';
import { IdempotentCalls } from './idempotent-calls.service';

/** Calls that their clients may repeat. */
@Module({ providers: [CallRelay, IdempotentCalls], exports: [IdempotentCalls] })
export class IdempotencyModule {}
