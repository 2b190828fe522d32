import { type DynamicModule, Module } from '@nestjs/common';
import { CredentialsModule } from '@inference/credentials';
import { DatabaseModule } from '@inference/database';
import { ServiceModule } from '@inference/http';
import { type RouterCostConfig } from './config';
import { CostController } from './cost/cost.controller';
import { CostService } from './cost/cost.service';

@Module({})
export class AppModule {
  static forRoot(config: RouterCostConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule,
        DatabaseModule.forRoot('router-cost', config),
        CredentialsModule.forRoot({ ...config, defaultKinds: ['session_cookie', 'api_key'] }),
      ],
      controllers: [CostController],
      providers: [CostService],
    };
  }
}
