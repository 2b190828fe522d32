import {
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { NotificationChannel } from './notification-channel';
import { createPool, type SqlPool } from './pool';

export interface DatabaseConfig {
  DATABASE_URL: string;
  DATABASE_POOL_SIZE: number;
}

/** Injection token of the connection pool. */
export const SQL_POOL = Symbol('SQL_POOL');

/** Provides the process's one connection pool (SQL_POOL) and its one LISTEN connection (NotificationChannel). */
@Module({})
export class DatabaseModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    private readonly channel: NotificationChannel,
  ) {}

  /** @param applicationName what PostgreSQL shows for its connections */
  static forRoot(applicationName: string, config: DatabaseConfig): DynamicModule {
    const { DATABASE_URL: url, DATABASE_POOL_SIZE: size } = config;
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        { provide: SQL_POOL, useFactory: () => createPool({ url, applicationName, size }) },
        {
          provide: NotificationChannel,
          useFactory: () => new NotificationChannel(url, applicationName),
        },
      ],
      exports: [SQL_POOL, NotificationChannel],
    };
  }

  /** All modules have registered their notification handlers by now. */
  async onApplicationBootstrap(): Promise<void> {
    await this.channel.start();
  }

  /** Runs last, so that other modules can use the database during their shutdown. */
  async onApplicationShutdown(): Promise<void> {
    await this.channel.close();
    await this.pool.end();
  }
}
