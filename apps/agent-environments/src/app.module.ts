import { type DynamicModule, Module } from '@nestjs/common';
import { CredentialsModule } from '@inference/guards';
import { ServiceModule } from '@inference/http';
import { ENVIRONMENTS_KEY_CREDENTIALS } from './environments-key.strategy';
import { type AgentEnvironmentsConfig, ConfigModule } from './config';
import { EnvironmentsController } from './environments.controller';

/** The routes of agent environments. */
@Module({ controllers: [EnvironmentsController] })
class EnvironmentsModule {}

@Module({})
export class AppModule {
  static forRoot(config: AgentEnvironmentsConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule.forRoot(config),
        ConfigModule.forRoot(config),
        // Without a configured key all routes are open.
        ...(config.API_KEY === undefined
          ? []
          : [
              CredentialsModule.forRoot({
                strategies: [ENVIRONMENTS_KEY_CREDENTIALS],
                defaultKinds: ['environments_key'],
              }),
            ]),
        EnvironmentsModule,
      ],
    };
  }
}
