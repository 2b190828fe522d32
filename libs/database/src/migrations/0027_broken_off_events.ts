import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

/** The index of the whole table is valid when each partition has its part. New partitions get theirs on their own. */
const CREATE_PARENT = `
DROP INDEX IF EXISTS metering.usage_events_broken_off;
CREATE INDEX usage_events_broken_off ON ONLY metering.usage_events (account_id, occurred_at) WHERE outcome <> 'completed'`;
const PARTITIONS = `
  SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'metering.usage_events'::regclass ORDER BY c.relname`;

/** The request log is also listed by outcome. Few calls break off, so a settlement seldom writes into the index. */
export class BrokenOffEvents0000000000027 implements Migration {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(CREATE_PARENT);
    const partitions = (await runner.query(PARTITIONS)) as { name: string }[];
    for (const { name } of partitions)
      await runner.query(`
        DROP INDEX CONCURRENTLY IF EXISTS metering.${name}_broken_off;
        CREATE INDEX CONCURRENTLY ${name}_broken_off ON metering.${name} (account_id, occurred_at) WHERE outcome <> 'completed';
        ALTER INDEX metering.usage_events_broken_off ATTACH PARTITION metering.${name}_broken_off`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX metering.usage_events_broken_off');
  }
}
