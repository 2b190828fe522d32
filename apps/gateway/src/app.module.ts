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
import { type GatewayConfig } from './config';
import { ConfigModule } from './config.module';
import {
  MaintenanceModule,
  ModelsModule,
  ProtocolsModule,
  ProxyModule,
  TasksModule,
} from './features.module';
import { ENTITIES } from './entities';

@Module({})
export class AppModule {
  static forRoot(config: GatewayConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule.forRoot(config),
        ConfigModule.forRoot(config),
        RefusalLimitModule.forRoot('gateway', config),
        DatabaseModule.forRoot('gateway', config, ENTITIES),
        JobsModule.forRoot('gateway', config),
        CredentialsModule.forRoot({
          ...config,
          strategies: [API_KEY_CREDENTIALS, serviceCallerCredentials(config.serviceCallers)],
          defaultKinds: ['api_key', 'on_behalf'],
        }),
        SuspensionsModule,
        MaintenanceModule,
        ModelsModule,
        ProxyModule,
        ProtocolsModule,
        TasksModule,
      ],
    };
  }
}
