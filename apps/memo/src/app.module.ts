import { type DynamicModule, Module } from '@nestjs/common';
import { CredentialsModule } from '@inference/credentials';
import { DatabaseModule } from '@inference/database';
import { ServiceModule } from '@inference/http';
import { type MemoConfig } from './config';

/** How long an ended session may live here while no notification comes through. */
const SESSION_CACHE_SECONDS = 10;

@Module({})
export class AppModule {
  static forRoot(config: MemoConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule,
        DatabaseModule.forRoot({
          url: config.DATABASE_URL,
          applicationName: 'memo',
          size: config.DATABASE_POOL_SIZE,
        }),
        CredentialsModule.forRoot({
          SITE: config.SITE,
          API_KEY_HASH_SECRET: config.API_KEY_HASH_SECRET,
          CONSOLE_URL: config.CONSOLE_URL,
          defaultKinds: ['session'],
          sessionCacheSeconds: SESSION_CACHE_SECONDS,
        }),
      ],
    };
  }
}
