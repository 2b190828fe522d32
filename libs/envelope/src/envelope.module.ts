import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { EnvelopeInterceptor } from './envelope.interceptor';

/** Answers of the app that imports it come in the envelope; its errors do with the ServiceOptions `ENVELOPE_ERRORS`. */
@Module({ providers: [{ provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor }] })
export class EnvelopeModule {}
