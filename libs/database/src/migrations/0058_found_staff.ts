import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

/** As the migration before leaves it. */
const NOT_VALIDATED = `
  ALTER TABLE accounts.accounts DROP CONSTRAINT accounts_role_check, ADD CONSTRAINT accounts_role_check
  CHECK (role IN ('user', 'admin', 'operator', 'finance', 'support', 'analyst')) NOT VALID;
  ALTER TABLE accounts.sessions DROP CONSTRAINT sessions_second_factor_check, ADD CONSTRAINT sessions_second_factor_check
  CHECK (second_factor IN ('totp', 'recovery_code', 'provider')) NOT VALID`;

/** Versions up to 0.2.0 know a session of staff by the role alone; those of staff that are open have shown the code. */
const OPEN_SESSIONS_OF_STAFF = `
  SELECT s.id FROM accounts.sessions s JOIN accounts.accounts a ON a.id = s.account_id JOIN accounts.totp t ON t.account_id = a.id
  WHERE a.role <> 'user' AND t.enabled_at IS NOT NULL AND s.ended_at IS NULL AND s.second_factor IS NULL`;

/** The list of staff reads an index of few rows, however many customers there are. */
export class FoundStaff0000000000058 implements Migration {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts.accounts VALIDATE CONSTRAINT accounts_role_check');
    await runner.query('ALTER TABLE accounts.sessions VALIDATE CONSTRAINT sessions_second_factor_check');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS accounts.accounts_staff');
    await runner.query(
      "CREATE INDEX CONCURRENTLY accounts_staff ON accounts.accounts (id) WHERE role <> 'user'",
    );
    const open = (await runner.query(OPEN_SESSIONS_OF_STAFF)) as { id: string }[];
    for (const { id } of open)
      await runner.query("UPDATE accounts.sessions SET second_factor = 'totp' WHERE id = $1", [id]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX accounts.accounts_staff');
    await runner.query(NOT_VALIDATED);
  }
}
