import { type DynamicModule, Module } from '@nestjs/common';
import { CredentialsModule } from '@inference/credentials';
import { DatabaseModule } from '@inference/database';
import { ServiceModule } from '@inference/http';
import { type AgentConfig } from './config';

/** How long an ended session may live here while no notification comes through. */
const SESSION_CACHE_SECONDS = 10;

@Module({})
export class AppModule {
  static forRoot(config: AgentConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule,
        DatabaseModule.forRoot({
          url: config.DATABASE_URL,
          applicationName: 'agent',
          size: config.DATABASE_POOL_SIZE,
        }),
        CredentialsModule.forRoot({
          SITE: config.SITE,
          API_KEY_HASH_SECRET: config.API_KEY_HASH_SECRET,
          CONSOLE_URL: config.CONSOLE_URL,
          defaultKinds: ['api_key'],
          sessionCacheSeconds: SESSION_CACHE_SECONDS,
        }),
      ],
    };
  }
}
