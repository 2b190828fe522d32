import { type DynamicModule, Module } from '@nestjs/common';
import { CredentialsModule } from '@inference/credentials';
import { DatabaseModule } from '@inference/database';
import { ServiceModule } from '@inference/http';
import { type MemoConfig } from './config';

@Module({})
export class AppModule {
  static forRoot(config: MemoConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule,
        DatabaseModule.forRoot('memo', config),
        CredentialsModule.forRoot({ ...config, defaultKinds: ['session'] }),
      ],
    };
  }
}
