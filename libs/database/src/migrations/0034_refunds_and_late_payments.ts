import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
DROP INDEX CONCURRENTLY IF EXISTS billing.refunds_time;
CREATE INDEX CONCURRENTLY refunds_time ON billing.refunds (created_at DESC, id DESC)`;

/** Admins list the refunds of all accounts, newest first. */
export class RefundsAndLatePayments0000000000034 implements Migration {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  /** Loses no data. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX billing.refunds_time');
  }
}
