import { Module } from '@nestjs/common';
import { IdempotencyKeyCleanupJob } from './idempotency-keys';

/** Remembers the answers to requests with an idempotency key, see `idempotency-keys.ts`. */
@Module({ providers: [IdempotencyKeyCleanupJob] })
export class IdempotencyModule {}
