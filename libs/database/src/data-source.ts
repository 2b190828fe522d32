import { type PoolClient } from 'pg';
import { DataSource, type QueryRunner, type ReplicationMode } from 'typeorm';
import { PostgresNamingStrategy } from './entities/naming-strategy';
import { isDatabaseUnavailable } from './errors/unavailable';
import { createPool, type PoolOptions, type SqlPool } from './pool';

export type EntityClass = new () => object;

/**
 * A data source over a pool of ours. It describes its entities without a connection, so a service starts while the database
 * is away; the first statement connects. Without entities it need not be initialized.
 */
export class PoolDataSource extends DataSource {
  readonly pool: SqlPool;

  constructor(options: PoolOptions, entities: EntityClass[] = []) {
    super({ type: 'postgres', entities, namingStrategy: new PostgresNamingStrategy() });
    this.pool = createPool(options);
    Object.assign(this.driver, { master: this.pool });
  }

  override async initialize(): Promise<this> {
    await this.buildMetadatas();
    return Object.assign(this, { isInitialized: true });
  }

  /** A connection that gave no answer is still busy with its statement: it must not serve another one. */
  override createQueryRunner(mode?: ReplicationMode): QueryRunner {
    const runner = super.createQueryRunner(mode);
    const query = runner.query.bind(runner);
    runner.query = async (...statement: Parameters<typeof query>) => {
      try {
        return await query(...statement);
      } catch (error) {
        if (!runner.isTransactionActive && isDatabaseUnavailable(error)) await endConnection(runner);
        throw error;
      }
    };
    return runner;
  }

  /** Does nothing: TypeOrmModule calls it while other modules are finishing their work. `Database.close` ends the pool. */
  override async destroy(): Promise<void> {}
}

/** The pool replaces the connection when the runner gives it back. */
export async function endConnection(runner: QueryRunner): Promise<void> {
  const client = (await runner.connect()) as PoolClient;
  // Not awaited: a server that hangs does not confirm it.
  client.end().catch(() => undefined);
}
