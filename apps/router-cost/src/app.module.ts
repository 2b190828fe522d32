import { type DynamicModule, Module } from '@nestjs/common';
import {
  API_KEY_CREDENTIALS,
  CredentialsModule,
  serviceCallerCredentials,
  SESSION_CREDENTIALS,
} from '@inference/guards';
import { DatabaseModule } from '@inference/database';
import { ServiceModule } from '@inference/http';
import { sessionCookieNames } from '@inference/config';
import { RefusalLimitModule } from '@inference/rate-limits';
import { type RouterCostConfig } from './config';
import { ENTITIES } from './entities';
import { CostController } from './cost/cost.controller';
import { CostService } from './cost/cost.service';

/** `GET /v1/router/cost`. */
@Module({ controllers: [CostController], providers: [CostService] })
class CostModule {}

@Module({})
export class AppModule {
  static forRoot(config: RouterCostConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule.forRoot(config),
        RefusalLimitModule.forRoot('router-cost', config),
        DatabaseModule.forRoot('router-cost', config, ENTITIES),
        CredentialsModule.forRoot({
          ...config,
          keepsKeyHashes: true,
          sessionCookie: sessionCookieNames(config),
          strategies: [
            SESSION_CREDENTIALS,
            API_KEY_CREDENTIALS,
            serviceCallerCredentials({ console: config.CONSOLE_CREDENTIALS ?? [] }),
          ],
          defaultKinds: ['session_cookie', 'api_key', 'on_behalf'],
        }),
        CostModule,
      ],
    };
  }
}
