import { type DynamicModule, Module } from '@nestjs/common';
import { CredentialsModule } from '@inference/credentials';
import { DatabaseModule } from '@inference/database';
import { EnvelopeModule } from '@inference/envelope';
import { ServiceModule } from '@inference/http';
import { CapabilitiesController } from './capabilities/capabilities.controller';
import { CapabilitiesService } from './capabilities/capabilities.service';
import { TRAINING_CONFIG, type TrainingConfig } from './config';
import { AdminQuotasController } from './quotas/admin-quotas.controller';
import { QuotasService } from './quotas/quotas.service';
import { UsageController } from './usage/usage.controller';
import { UsageService } from './usage/usage.service';

@Module({})
export class AppModule {
  static forRoot(config: TrainingConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule,
        EnvelopeModule,
        DatabaseModule.forRoot('training', config),
        CredentialsModule.forRoot({
          ...config,
          defaultKinds: ['session', 'api_key'],
          serviceCredentials: { trainer: config.TRAINER_CREDENTIALS ?? [] },
        }),
      ],
      controllers: [CapabilitiesController, AdminQuotasController, UsageController],
      providers: [
        { provide: TRAINING_CONFIG, useValue: config },
        CapabilitiesService,
        QuotasService,
        UsageService,
      ],
    };
  }
}
