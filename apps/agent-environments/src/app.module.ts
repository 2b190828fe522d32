import { type DynamicModule, Module } from '@nestjs/common';
import { ServiceModule } from '@inference/http';
import { AuthenticationModule } from './authentication/authentication.module';
import { type AgentEnvironmentsConfig } from './config';
import { ConfigModule } from './config.module';
import { EnvironmentsModule } from './environments/environments.module';

@Module({})
export class AppModule {
  static forRoot(config: AgentEnvironmentsConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [ServiceModule, ConfigModule.forRoot(config), AuthenticationModule, EnvironmentsModule],
    };
  }
}
