import { type DynamicModule, Module } from '@nestjs/common';
import { CredentialsModule } from '@inference/credentials';
import { DatabaseModule } from '@inference/database';
import { ServiceModule } from '@inference/http';
import { type AgentConfig } from './config';

@Module({})
export class AppModule {
  static forRoot(config: AgentConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule,
        DatabaseModule.forRoot('agent', config),
        CredentialsModule.forRoot({ ...config, defaultKinds: ['api_key'] }),
      ],
    };
  }
}
