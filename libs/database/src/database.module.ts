import {
  type DynamicModule,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { type EntityClass, PoolDataSource } from './data-source';
import { Database } from './database';
import { NotificationChannel } from './notification-channel';
import { ReadDatabase } from './read-database';

export interface DatabaseConfig {
  DATABASE_URL: string;
  DATABASE_POOL_SIZE: number;
  /** A streaming replica for reads. */
  DATABASE_READ_URL?: string | undefined;
}

/** Chosen: a read waits that long for a replica that has disappeared, every few seconds. */
const REPLICA_CONNECT_MILLIS = 1_000;

/** Provides the process's one Database, its ReadDatabase and its one LISTEN connection (NotificationChannel). */
@Module({})
export class DatabaseModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly database: Database,
    private readonly channel: NotificationChannel,
    private readonly reads: ReadDatabase,
  ) {}

  /**
   * @param applicationName what PostgreSQL shows for its connections
   * @param entities the tables that the service uses, with no column that its role may not read
   */
  static forRoot(
    applicationName: string,
    config: DatabaseConfig,
    entities: EntityClass[] = [],
  ): DynamicModule {
    const { DATABASE_URL: url, DATABASE_POOL_SIZE: size, DATABASE_READ_URL: readUrl } = config;
    const connectMillis = REPLICA_CONNECT_MILLIS;
    const replica = readUrl === undefined ? null : { url: readUrl, applicationName, size, connectMillis };
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({ type: 'postgres' }),
          dataSourceFactory: async () => new PoolDataSource({ url, applicationName, size }, entities),
        }),
      ],
      providers: [
        {
          provide: Database,
          useFactory: (dataSource: PoolDataSource) => new Database(dataSource),
          inject: [getDataSourceToken()],
        },
        {
          provide: ReadDatabase,
          useFactory: async (database: Database) =>
            new ReadDatabase(
              database,
              replica && new Database(await new PoolDataSource(replica, entities).initialize()),
            ),
          inject: [Database],
        },
        {
          provide: NotificationChannel,
          useFactory: () => new NotificationChannel(url, applicationName),
        },
      ],
      exports: [Database, NotificationChannel, ReadDatabase],
    };
  }

  /** All modules have registered their notification handlers by now. */
  async onApplicationBootstrap(): Promise<void> {
    await this.channel.start();
  }

  /** Runs last, so that other modules can use the database during their shutdown. */
  async onApplicationShutdown(): Promise<void> {
    await this.channel.close();
    await this.reads.close();
    await this.database.close();
  }
}
