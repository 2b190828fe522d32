import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
ALTER TABLE accounts.sessions ADD second_factor text, ADD CONSTRAINT sessions_second_factor_check
  CHECK (second_factor IN ('totp', 'recovery_code', 'provider')) NOT VALID;
ALTER TABLE accounts.accounts DROP CONSTRAINT accounts_role_check, ADD CONSTRAINT accounts_role_check
  CHECK (role IN ('user', 'admin', 'operator', 'finance', 'support', 'analyst')) NOT VALID;
`;

const DOWN = `
-- Loses the roles operator, finance and support: their holders become customers. Loses what proved the second factor of a session.
UPDATE accounts.accounts SET role = 'user' WHERE role IN ('operator', 'finance', 'support');
ALTER TABLE accounts.accounts DROP CONSTRAINT accounts_role_check, ADD CONSTRAINT accounts_role_check
  CHECK (role IN ('user', 'analyst', 'admin')) NOT VALID;
ALTER TABLE accounts.accounts VALIDATE CONSTRAINT accounts_role_check;
ALTER TABLE accounts.sessions DROP COLUMN second_factor;
`;

/** More roles of staff, and the second factor of a session. */
export class StaffRoles0000000000057 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
