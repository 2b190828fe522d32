import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

/** As the migration before leaves it. */
const NOT_VALIDATED = `
  ALTER TABLE accounts.accounts DROP CONSTRAINT accounts_role_check, ADD CONSTRAINT accounts_role_check
  CHECK (role IN ('user', 'admin', 'operator', 'finance', 'support', 'analyst')) NOT VALID`;

/** The list of staff reads an index of few rows, however many customers there are. */
export class FoundStaff0000000000058 implements Migration {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts.accounts VALIDATE CONSTRAINT accounts_role_check');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS accounts.accounts_staff');
    await runner.query(
      "CREATE INDEX CONCURRENTLY accounts_staff ON accounts.accounts (id) WHERE role <> 'user'",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX accounts.accounts_staff');
    await runner.query(NOT_VALIDATED);
  }
}
