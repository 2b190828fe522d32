import { type Pool } from 'pg';
import { type EntityTarget, type ObjectLiteral, type Repository } from 'typeorm';

/** Specified: what a clock may be off. One-time passwords, which count with half a minute, fail beyond it. */
export const CLOCK_LIMIT_MILLIS = 60_000;
const READ_CLOCK = 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS millis';

/** How far the clock of this host is ahead of the database's, in milliseconds; exact to half the time of a statement. */
export async function readClockDifferenceMillis(executor: Executor): Promise<number> {
  const beforeMillis = Date.now();
  const { rows } = await executor.query<{ millis: string | bigint }>(READ_CLOCK);
  return (beforeMillis + Date.now()) / 2 - Number(rows[0]!.millis);
}

/** Where a repository runs its statements: in the database, each by itself, or in a transaction. */
export interface Executor {
  /** TypeORM's repository of an entity, for ordinary statements. */
  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity>;
  /** Runs SQL text that is beyond the query builder. A statement with a `name` is prepared once for each connection. */
  query: Pool['query'];
}
