import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
DROP INDEX CONCURRENTLY IF EXISTS accounts.accounts_search;
CREATE INDEX CONCURRENTLY accounts_search ON accounts.accounts
  USING gin (email public.gin_trgm_ops, username public.gin_trgm_ops, phone public.gin_trgm_ops, id public.gin_trgm_ops)`;

/** Admins search accounts by a part of what identifies them. Without the index each search would read all accounts. */
export class AccountSearch0000000000032 implements Migration {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  /** Loses no data. Refused while other objects of the database use the extension. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX accounts.accounts_search; DROP EXTENSION pg_trgm');
  }
}
