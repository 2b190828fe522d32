import { type Pool } from 'pg';
import { type EntityTarget, type ObjectLiteral, type Repository } from 'typeorm';

/** Where a repository runs its statements: in the database, each by itself, or in a transaction. */
export interface Executor {
  /** TypeORM's repository of an entity, for ordinary statements. */
  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity>;
  /** Runs SQL text that is beyond the query builder. A statement with a `name` is prepared once for each connection. */
  query: Pool['query'];
}
