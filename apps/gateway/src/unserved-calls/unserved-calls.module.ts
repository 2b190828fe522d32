import { Module } from '@nestjs/common';
import { UnservedCalls } from './unserved-calls.service';

/** The log of refused and failed calls. */
@Module({ providers: [UnservedCalls], exports: [UnservedCalls] })
export class UnservedCallsModule {}
