import { type DynamicModule, Module } from '@nestjs/common';
import { CredentialsModule } from '@inference/credentials';
import { DatabaseModule } from '@inference/database';
import { ServiceModule } from '@inference/http';
import { type TrainingConfig } from './config';

@Module({})
export class AppModule {
  static forRoot(config: TrainingConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule,
        DatabaseModule.forRoot('training', config),
        CredentialsModule.forRoot({ ...config, defaultKinds: ['session', 'api_key'] }),
      ],
    };
  }
}
