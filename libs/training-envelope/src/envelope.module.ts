import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { EnvelopeInterceptor } from './envelope.interceptor';

/** Wraps the responses of the importing app in the envelope. Errors need the ServiceOptions `ENVELOPE_ERRORS` as well. */
@Module({ providers: [{ provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor }] })
export class EnvelopeModule {}
