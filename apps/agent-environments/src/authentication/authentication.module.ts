import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ApiKeyGuard } from './api-key.guard';

/** Protects every route of the service with the configured API key. */
@Module({ providers: [{ provide: APP_GUARD, useClass: ApiKeyGuard }] })
export class AuthenticationModule {}
