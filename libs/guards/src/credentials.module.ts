import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { CREDENTIAL_STRATEGIES, CredentialsGuard } from './credentials.guard';
import { CREDENTIALS_OPTIONS, type CredentialsOptions, type GuardOptions } from './credentials.options';
import { RouteAccessReader } from './route-access';
import { AccountViews } from './staff/account-views';
import { type RegisteredStrategy } from './credential.strategy';

/** Protects every route of the app that imports it (see CredentialsGuard). */
@Global()
@Module({})
export class CredentialsModule {
  static forRoot(options: CredentialsOptions | GuardOptions): DynamicModule {
    const strategies = options.strategies.flatMap((registration) => registration.strategies);
    return {
      module: CredentialsModule,
      providers: [
        { provide: CREDENTIALS_OPTIONS, useValue: options },
        ...options.strategies.flatMap(({ providers = [] }) => providers),
        ...strategies,
        {
          provide: CREDENTIAL_STRATEGIES,
          inject: strategies,
          useFactory: (...registered: RegisteredStrategy[]) => registered,
        },
        RouteAccessReader,
        ...('hasAccountViews' in options && options.hasAccountViews ? [AccountViews] : []),
        { provide: APP_GUARD, useClass: CredentialsGuard },
      ],
    };
  }
}
