import { type DynamicModule, Module } from '@nestjs/common';
import {
  API_KEY_CREDENTIALS,
  CredentialsModule,
  serviceCallerCredentials,
  SESSION_CREDENTIALS,
} from '@inference/guards';
import { DatabaseModule } from '@inference/database';
import { EnvelopeModule } from '@inference/training-envelope';
import { ServiceModule } from '@inference/http';
import { RefusalLimitModule } from '@inference/rate-limits';
import { CapabilitiesModule, QuotasModule, UsageModule } from './features.module';
import { ConfigModule, type TrainingConfig } from './config';
import { ENTITIES } from './entities';

@Module({})
export class AppModule {
  static forRoot(config: TrainingConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule.forRoot(config),
        EnvelopeModule,
        ConfigModule.forRoot(config),
        RefusalLimitModule.forRoot('training', config),
        DatabaseModule.forRoot('training', config, ENTITIES),
        CredentialsModule.forRoot({
          ...config,
          strategies: [SESSION_CREDENTIALS, API_KEY_CREDENTIALS, serviceCallerCredentials(config.trainers)],
          defaultKinds: ['session', 'api_key'],
        }),
        CapabilitiesModule,
        QuotasModule,
        UsageModule,
      ],
    };
  }
}
