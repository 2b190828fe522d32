import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const INDEX = 'unserved_calls_request';
/** An index of the table alone is empty. Partitions that are made from now on get theirs with the table. */
const ON_THE_TABLE = `CREATE INDEX IF NOT EXISTS ${INDEX} ON ONLY metering.unserved_calls (account_id, request_id)`;
const PARTITIONS_WITHOUT = `
  SELECT c.relname AS name FROM pg_inherits p JOIN pg_class c ON c.oid = p.inhrelid
  WHERE p.inhparent = 'metering.unserved_calls'::regclass AND NOT EXISTS (
    SELECT FROM pg_index x JOIN pg_inherits i ON i.inhrelid = x.indexrelid
    WHERE x.indrelid = c.oid AND i.inhparent = 'metering.${INDEX}'::regclass
  ) ORDER BY c.relname DESC`;

/** A refused or failed call is found by its id, without a look at all of its days. */
export class FoundUnservedCalls0000000000054 implements Migration {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ON_THE_TABLE);
    for (const { name } of (await runner.query(PARTITIONS_WITHOUT)) as { name: string }[]) {
      // As PostgreSQL names those of later partitions.
      const index = `${name}_account_id_request_id_idx`;
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS metering.${index}`);
      await runner.query(`CREATE INDEX CONCURRENTLY ${index} ON metering.${name} (account_id, request_id)`);
      await runner.query(`ALTER INDEX metering.${INDEX} ATTACH PARTITION metering.${index}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX metering.${INDEX}`);
  }
}
