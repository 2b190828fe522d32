import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { CredentialsModule } from '@inference/credentials';
import { DatabaseModule } from '@inference/database';
import { ExactJsonInterceptor, ServiceModule } from '@inference/http';
import { ApiKeysController } from './api-keys/api-keys.controller';
import { ApiKeysService } from './api-keys/api-keys.service';
import { AuthController } from './auth/auth.controller';
import { AuthService } from './auth/auth.service';
import { JwksController } from './auth/jwks.controller';
import { PasswordHasher } from './auth/password-hasher';
import { SessionsService } from './auth/sessions.service';
import { publicKeyOf } from './auth/signing-keys';
import { AdjustmentsController } from './billing/adjustments.controller';
import { AdjustmentsService } from './billing/adjustments.service';
import { SettingsController } from './billing/settings.controller';
import { TransactionsController } from './billing/transactions.controller';
import { UsageController } from './billing/usage.controller';
import { UsageService } from './billing/usage.service';
import { CONSOLE_CONFIG, type ConsoleConfig } from './config';
import { AdminPricingController } from './pricing/admin-pricing.controller';
import { ExchangeRatesController } from './pricing/exchange-rates.controller';
import { ExchangeRatesService } from './pricing/exchange-rates.service';
import { PricingController } from './pricing/pricing.controller';
import { PricingService } from './pricing/pricing.service';
import { RateLimitGuard } from './rate-limit/rate-limit.guard';
import { rateLimits } from './rate-limit/rate-limits';
import { SiteController } from './site/site.controller';

@Module({})
export class AppModule {
  static forRoot(config: ConsoleConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule,
        DatabaseModule.forRoot('console', config),
        CredentialsModule.forRoot({
          SITE: config.SITE,
          API_KEY_HASH_SECRET: config.API_KEY_HASH_SECRET,
          defaultKinds: ['session'],
          // A logout here is in force here at once.
          sessionCacheSeconds: 0,
          publicKeys: config.SESSION_SIGNING_KEYS.map(publicKeyOf),
        }),
        ThrottlerModule.forRoot(rateLimits(config.RATE_LIMIT_MULTIPLIER, config.SITE)),
      ],
      controllers: [
        AuthController,
        JwksController,
        ApiKeysController,
        PricingController,
        AdminPricingController,
        ExchangeRatesController,
        UsageController,
        TransactionsController,
        SettingsController,
        AdjustmentsController,
        SiteController,
      ],
      providers: [
        { provide: CONSOLE_CONFIG, useValue: config },
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_INTERCEPTOR, useClass: ExactJsonInterceptor },
        PasswordHasher,
        SessionsService,
        AuthService,
        ApiKeysService,
        PricingService,
        ExchangeRatesService,
        UsageService,
        AdjustmentsService,
      ],
    };
  }
}
