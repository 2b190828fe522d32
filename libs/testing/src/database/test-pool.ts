import { Database, type EntityClass, PoolDataSource, type PoolOptions } from '@inference/database';
import { type PoolClient } from 'pg';

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

  connect(): Promise<PoolClient> {
    return this.source.pool.connect();
  }

  end(): Promise<void> {
    return this.close();
  }
}
