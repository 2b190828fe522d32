import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- What a key is for, and who made it and its secret: a management key, or null for a person of the account. The previous version shows
-- management keys among the others. They open nothing there, since it knows no keys that begin like them.
ALTER TABLE accounts.api_keys
  ADD kind text NOT NULL DEFAULT 'api',
  ADD created_by text,
  ADD rotated_at timestamptz,
  ADD rotated_by text;
`;

const DOWN = `
-- Loses the management keys, and who made a key and when its secret was replaced.
UPDATE accounts.api_keys SET deleted_at = now(), key_hash = NULL WHERE kind = 'management' AND deleted_at IS NULL;
ALTER TABLE accounts.api_keys DROP kind, DROP created_by, DROP rotated_at, DROP rotated_by;
`;

/** Keys that manage keys, and who made each key. */
export class ManagementKeys0000000000068 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
