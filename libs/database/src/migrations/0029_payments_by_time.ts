import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
DROP INDEX CONCURRENTLY IF EXISTS billing.payments_time;
CREATE INDEX CONCURRENTLY payments_time ON billing.payments (created_at DESC, id DESC)`;

/** Admins list the payments of all accounts. Without the index each page would sort all payments. */
export class PaymentsByTime0000000000029 implements Migration {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX billing.payments_time');
  }
}
