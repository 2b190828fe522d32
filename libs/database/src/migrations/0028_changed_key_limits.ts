import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
-- A limit may be changed to less than the key has spent. A key whose limit never changed has not spent more.
ALTER TABLE wallet.key_budgets ADD COLUMN limit_changed_at timestamptz;
GRANT UPDATE (limit_picos, limit_changed_at) ON wallet.key_budgets TO console;
`;

const DOWN = `
-- Loses which limits were changed. Limits below what was spent stay, and reconciliation reports them.
REVOKE UPDATE (limit_picos) ON wallet.key_budgets FROM console;
ALTER TABLE wallet.key_budgets DROP COLUMN limit_changed_at;
`;

export class ChangedKeyLimits0000000000028 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
