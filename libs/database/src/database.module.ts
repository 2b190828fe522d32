import {
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { NotificationChannel } from './notification-channel';
import { createPool, type PoolOptions, type SqlPool } from './pool';

export const SQL_POOL = Symbol('SQL_POOL');

/** Provides the process's one connection pool (SQL_POOL) and its one LISTEN connection (NotificationChannel). */
@Module({})
export class DatabaseModule implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    private readonly channel: NotificationChannel,
  ) {}

  static forRoot(options: PoolOptions): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        { provide: SQL_POOL, useFactory: () => createPool(options) },
        {
          provide: NotificationChannel,
          useFactory: () => new NotificationChannel(options.url, options.applicationName),
        },
      ],
      exports: [SQL_POOL, NotificationChannel],
    };
  }

  /** By now every module has said what it listens to. */
  async onApplicationBootstrap(): Promise<void> {
    await this.channel.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.channel.close();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}
