import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const COLUMNS = `
-- Since when staff has shut it out, the reason for colleagues, and the text for its owner. Null: it is not suspended.
ALTER TABLE accounts.accounts
  ADD COLUMN IF NOT EXISTS suspended_at timestamptz,
  ADD COLUMN IF NOT EXISTS suspension_reason text,
  ADD COLUMN IF NOT EXISTS suspension_message text;
ALTER TABLE accounts.api_keys
  ADD COLUMN IF NOT EXISTS suspended_at timestamptz,
  ADD COLUMN IF NOT EXISTS suspension_reason text,
  ADD COLUMN IF NOT EXISTS suspension_message text;
GRANT SELECT (suspended_at) ON accounts.accounts TO agent, gateway, memo, router_cost, training;

-- What staff has noted of an account. Customers never see it.
CREATE TABLE IF NOT EXISTS accounts.account_notes (
  id text,
  account_id text NOT NULL,
  author_id text NOT NULL,
  text text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT account_notes_pkey PRIMARY KEY (id),
  CONSTRAINT account_notes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id),
  CONSTRAINT account_notes_author_id_fkey FOREIGN KEY (author_id) REFERENCES accounts.accounts (id)
);
CREATE INDEX IF NOT EXISTS account_notes_account ON accounts.account_notes (account_id, created_at, id);
GRANT SELECT, INSERT ON accounts.account_notes TO console;

-- What support sees of agents and workspaces: that they are there, and nothing of what they hold.
GRANT USAGE ON SCHEMA agent TO console;
GRANT SELECT (id, account_id, public_id, api_key_id, model, created_at, last_turn) ON agent.sessions TO console;
GRANT SELECT (workspace_id, account_id, role, created_at) ON memo.members TO console;
GRANT SELECT (id, name, created_by, created_at) ON memo.workspaces TO console;
`;

/** A process that was not notified reads what was suspended lately; staff finds keys by their first characters. */
const INDEXES = {
  accounts_suspended: 'ON accounts.accounts (suspended_at) WHERE suspended_at IS NOT NULL',
  api_keys_suspended: 'ON accounts.api_keys (suspended_at) WHERE suspended_at IS NOT NULL',
  api_keys_prefix: 'ON accounts.api_keys (prefix COLLATE "C")',
};

const DOWN = `
-- Loses what is suspended, which is valid again then, and the notes.
REVOKE SELECT (id, name, created_by, created_at) ON memo.workspaces FROM console;
REVOKE SELECT (workspace_id, account_id, role, created_at) ON memo.members FROM console;
REVOKE SELECT (id, account_id, public_id, api_key_id, model, created_at, last_turn) ON agent.sessions FROM console;
REVOKE USAGE ON SCHEMA agent FROM console;
REVOKE SELECT (suspended_at) ON accounts.accounts FROM agent, gateway, memo, router_cost, training;
DROP FUNCTION IF EXISTS accounts.notify_suspension CASCADE;
DROP TABLE accounts.account_notes;
ALTER TABLE accounts.accounts DROP suspended_at, DROP suspension_reason, DROP suspension_message;
DROP INDEX accounts.api_keys_prefix;
ALTER TABLE accounts.api_keys DROP suspended_at, DROP suspension_reason, DROP suspension_message;
`;

/** Accounts and keys that staff suspends, and its notes of accounts. */
export class Suspensions0000000000063 implements Migration {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(COLUMNS);
    for (const [name, definition] of Object.entries(INDEXES)) {
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS accounts.${name}`);
      await runner.query(`CREATE INDEX CONCURRENTLY ${name} ${definition}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
