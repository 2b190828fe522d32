import { DataSource } from 'typeorm';
import { PostgresNamingStrategy } from './entities/naming-strategy';
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

  /** Does nothing: TypeOrmModule calls it while other modules are finishing their work. `Database.close` ends the pool. */
  override async destroy(): Promise<void> {}
}
