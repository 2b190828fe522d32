import {
  Database,
  type EntityClass,
  type Executor,
  PoolDataSource,
  type PoolOptions,
} from '@inference/database';
import { type PoolClient } from 'pg';
import { type EntityTarget, type ObjectLiteral } from 'typeorm';
import { waitFor } from '../wait-for';

/** A Database for tests, which can also lend single connections. */
export class TestPool extends Database {
  constructor(private readonly source: PoolDataSource) {
    super(source);
  }

  /** Without entities. */
  static of(options: PoolOptions): TestPool {
    return new TestPool(new PoolDataSource(options));
  }

  static async withEntities(options: PoolOptions, entities: EntityClass[]): Promise<TestPool> {
    return new TestPool(await new PoolDataSource(options, entities).initialize());
  }

  /** Whoever connects begins and ends the transaction, and releases the connection. */
  async connect(): Promise<PoolClient & Executor> {
    // TypeORM locks rows in a transaction only, and does not see a BEGIN of the test.
    const runner = Object.assign(this.source.createQueryRunner(), { isTransactionActive: true });
    const client = (await runner.connect()) as PoolClient;
    return Object.assign(client, {
      repository: <Entity extends ObjectLiteral>(entity: EntityTarget<Entity>) =>
        runner.manager.getRepository(entity),
      release: () => void runner.release(),
    });
  }

  end(): Promise<void> {
    return this.close();
  }
}

/** Resolves when this many connections of the database wait for a lock of another transaction. */
export async function waitForLock(sql: Executor, count = 1): Promise<void> {
  await waitFor(async () => {
    const { rows } = await sql.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rows.length >= count;
  });
}
