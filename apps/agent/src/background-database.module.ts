import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Database, type EntityClass, PoolDataSource } from '@inference/database';

/** Connections for the work that keeps turns alive: it must not wait behind the queries of requests. */
export const BACKGROUND_DATABASE = Symbol('BACKGROUND_DATABASE');

/**
 * Connections that write the text of turns. Measured with 1,000 streams at 20 tokens a second on two processors: a token arrives
 * after 61 ms (p50) with one of them, after 6 to 9 ms with two.
 */
export const TEXT_CONNECTIONS = 2;
/** Sends the heartbeat of the process. */
const HEARTBEAT_CONNECTIONS = 1;

/** Provides the database of background work (BACKGROUND_DATABASE), with connections of its own. */
@Global()
@Module({})
export class BackgroundDatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(BACKGROUND_DATABASE) private readonly database: Database) {}

  static forRoot({ DATABASE_URL: url }: { DATABASE_URL: string }, entities: EntityClass[]): DynamicModule {
    const options = {
      url,
      applicationName: 'agent background',
      size: TEXT_CONNECTIONS + HEARTBEAT_CONNECTIONS,
    };
    return {
      module: BackgroundDatabaseModule,
      providers: [
        {
          provide: BACKGROUND_DATABASE,
          useFactory: async () => new Database(await new PoolDataSource(options, entities).initialize()),
        },
      ],
      exports: [BACKGROUND_DATABASE],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
