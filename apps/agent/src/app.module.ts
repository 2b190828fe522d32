import { type DynamicModule, Module } from '@nestjs/common';
import {
  API_KEY_CREDENTIALS,
  CredentialsModule,
  serviceCallerCredentials,
  SuspensionsModule,
} from '@inference/guards';
import { DatabaseModule } from '@inference/database';
import { ServiceModule } from '@inference/http';
import { RefusalLimitModule } from '@inference/rate-limits';
import { JobsModule } from '@inference/jobs';
import { BackgroundDatabaseModule } from './background-database.module';
import { type AgentConfig } from './config';
import { ConfigModule } from './config.module';
import { EventsModule, RecoveryModule, SessionsModule } from './features.module';
import { ShutdownModule } from './shutdown/shutdown.module';
import { ENTITIES } from './entities';

@Module({})
export class AppModule {
  static forRoot(config: AgentConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(config),
        ServiceModule.forRoot(config),
        RefusalLimitModule.forRoot('agent', config),
        DatabaseModule.forRoot('agent', config, ENTITIES),
        JobsModule.forRoot('agent', config),
        BackgroundDatabaseModule.forRoot(config, ENTITIES),
        CredentialsModule.forRoot({
          ...config,
          strategies: [API_KEY_CREDENTIALS, serviceCallerCredentials(config.serviceCallers)],
          defaultKinds: ['api_key', 'api_key_scheme', 'on_behalf'],
        }),
        SuspensionsModule,
        SessionsModule,
        EventsModule,
        RecoveryModule,
        ShutdownModule,
      ],
    };
  }
}
