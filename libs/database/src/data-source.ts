import { type PoolClient } from 'pg';
import {
  DataSource,
  DefaultNamingStrategy,
  type NamingStrategyInterface,
  type QueryRunner,
  type ReplicationMode,
  type Table,
} from 'typeorm';
import { isDatabaseUnavailable } from './errors';
import { createPool, type PoolOptions, type SqlPool } from './pool';

const tableName = (table: Table | string): string =>
  (typeof table === 'string' ? table : table.name).split('.').at(-1)!;

/** Columns are the snake case of their properties; keys have the names that PostgreSQL gives them. */
export class PostgresNamingStrategy extends DefaultNamingStrategy implements NamingStrategyInterface {
  override columnName(property: string, customName: string | undefined): string {
    return customName ?? property.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  }

  override joinColumnName(relation: string, referencedColumn: string): string {
    return this.columnName(`${relation}_${referencedColumn}`, undefined);
  }

  override primaryKeyName(table: Table | string): string {
    return `${tableName(table)}_pkey`;
  }

  override uniqueConstraintName(table: Table | string, columns: string[]): string {
    return [tableName(table), ...columns, 'key'].join('_');
  }

  override foreignKeyName(table: Table | string, columns: string[]): string {
    return [tableName(table), ...columns, 'fkey'].join('_');
  }
}

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
