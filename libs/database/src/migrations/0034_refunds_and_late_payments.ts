import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
-- When somebody has closed the notice about money that came late.
ALTER TABLE billing.payments ADD COLUMN IF NOT EXISTS seen_at timestamptz;
GRANT UPDATE (seen_at) ON billing.payments TO console;
DROP INDEX CONCURRENTLY IF EXISTS billing.refunds_time;
CREATE INDEX CONCURRENTLY refunds_time ON billing.refunds (created_at DESC, id DESC)`;

/**
 * Admins list the refunds of all accounts, newest first. Customers are told of late money until they close the notice.
 */
export class RefundsAndLatePayments0000000000034 implements Migration {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  /** Loses which notices were closed. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX billing.refunds_time; ALTER TABLE billing.payments DROP COLUMN seen_at');
  }
}
