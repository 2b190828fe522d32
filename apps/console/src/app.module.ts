import { type DynamicModule, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { API_KEY_CREDENTIALS, CredentialsModule, SESSION_CREDENTIALS } from '@inference/guards';
import { DatabaseModule } from '@inference/database';
import { ExactJsonInterceptor, ServiceModule } from '@inference/http';
import { JobsModule } from '@inference/jobs';
import { IdentityModule } from './identity/identity.module';
import { publicKeyOf } from './identity/sessions/signing-keys';
import { RateLimitModule } from './rate-limit/rate-limit.module';
import { BillingModule } from './billing/billing.module';
import { CatalogueModule } from './catalogue/catalogue.module';
import { InferenceModule } from './inference/inference.module';
import { JobRecoveryModule } from './job-recovery/job-recovery.module';
import { NotificationsModule } from './notifications/notifications.module';
import { ServiceHealthModule } from './service-health/service-health.module';
import { SupportModule } from './support/support.module';
import { UserInterfaceModule } from './user-interface/user-interface.module';
import { WaitingWorkModule } from './waiting-work/waiting-work.module';
import { type ConsoleConfig } from './config';
import { ConfigModule } from './config.module';
import { ENTITIES } from './entities';

@Module({})
export class AppModule {
  static forRoot(config: ConsoleConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule.forRoot(config),
        ConfigModule.forRoot(config),
        DatabaseModule.forRoot('console', config, ENTITIES),
        JobsModule.forRoot('console', config),
        // Before the credentials, so that its guard runs first.
        RateLimitModule,
        CredentialsModule.forRoot({
          SITE: config.SITE,
          API_KEY_HASH_SECRET: config.API_KEY_HASH_SECRET,
          API_KEY_HASH_OTHER_SECRET: config.API_KEY_HASH_OTHER_SECRET,
          STAFF_2FA: config.STAFF_2FA,
          strategies: [SESSION_CREDENTIALS, API_KEY_CREDENTIALS],
          defaultKinds: ['session'],
          sessionCacheSeconds: 0,
          hasAccountViews: true,
          publicKeys: config.sessions.signingKeys.map(publicKeyOf),
        }),
        JobRecoveryModule,
        IdentityModule,
        BillingModule,
        CatalogueModule,
        InferenceModule,
        NotificationsModule,
        ServiceHealthModule,
        SupportModule,
        UserInterfaceModule,
        WaitingWorkModule,
      ],
      providers: [{ provide: APP_INTERCEPTOR, useClass: ExactJsonInterceptor }],
    };
  }
}
