import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { CREDENTIAL_STRATEGIES, CredentialsGuard } from './credentials.guard';
import { CREDENTIALS_OPTIONS, type CredentialsOptions } from './credentials.options';
import { type CredentialStrategy } from './strategies/credential.strategy';

/** Protects every route of the app that imports it (see CredentialsGuard). */
@Global()
@Module({})
export class CredentialsModule {
  static forRoot(options: CredentialsOptions): DynamicModule {
    const strategies = options.strategies.map(({ strategy }) => strategy);
    return {
      module: CredentialsModule,
      providers: [
        { provide: CREDENTIALS_OPTIONS, useValue: options },
        ...options.strategies.flatMap(({ providers = [] }) => providers),
        ...strategies,
        {
          provide: CREDENTIAL_STRATEGIES,
          inject: strategies,
          useFactory: (...registered: CredentialStrategy[]) => registered,
        },
        { provide: APP_GUARD, useClass: CredentialsGuard },
      ],
    };
  }
}
