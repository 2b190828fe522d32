import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD, Reflector } from '@nestjs/core';
import { ServiceModule } from '@inference/http';
import { ApiKeyGuard } from './api-key.guard';
import { type AgentEnvironmentsConfig } from './config';
import { EnvironmentsController } from './environments/environments.controller';

@Module({})
export class AppModule {
  static forRoot({ API_KEY: apiKey }: AgentEnvironmentsConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [ServiceModule],
      controllers: [EnvironmentsController],
      providers: [
        {
          provide: APP_GUARD,
          useFactory: (reflector: Reflector) => new ApiKeyGuard(reflector, apiKey),
          inject: [Reflector],
        },
      ],
    };
  }
}
