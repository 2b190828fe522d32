import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { createPool, type SqlPool } from '@inference/database';

/** Connections for the work that keeps turns alive: it must not wait behind the queries of requests. */
export const BACKGROUND_POOL = Symbol('BACKGROUND_POOL');

/** One connection writes the text of all turns; the other one sends the heartbeat of the process. */
const CONNECTIONS = 2;

/** Provides the connection pool of background work (BACKGROUND_POOL). */
@Global()
@Module({})
export class BackgroundPoolModule implements OnApplicationShutdown {
  constructor(@Inject(BACKGROUND_POOL) private readonly pool: SqlPool) {}

  static forRoot({ DATABASE_URL: url }: { DATABASE_URL: string }): DynamicModule {
    return {
      module: BackgroundPoolModule,
      providers: [
        {
          provide: BACKGROUND_POOL,
          useFactory: () => createPool({ url, applicationName: 'agent background', size: CONNECTIONS }),
        },
      ],
      exports: [BACKGROUND_POOL],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}
