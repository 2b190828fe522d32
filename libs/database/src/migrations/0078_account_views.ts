import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- That a person of the staff sees the console as a customer does, for a while. A row goes with the session that has begun it.
CREATE TABLE accounts.account_views (
  id text,
  account_id text NOT NULL,
  staff_id text NOT NULL,
  session_id text NOT NULL,
  reason text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL,
  ended_at timestamptz,
  CONSTRAINT account_views_pkey PRIMARY KEY (id),
  CONSTRAINT account_views_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id),
  CONSTRAINT account_views_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES accounts.accounts (id),
  CONSTRAINT account_views_session_id_fkey FOREIGN KEY (session_id) REFERENCES accounts.sessions (id) ON DELETE CASCADE
);
CREATE INDEX account_views_open ON accounts.account_views (expires_at) WHERE ended_at IS NULL;
CREATE INDEX account_views_session ON accounts.account_views (session_id);
GRANT SELECT, INSERT, UPDATE ON accounts.account_views TO console;
`;

/** Staff sees what a customer sees. Comes with the function that finds workspace keys for staff. */
export class AccountViews0000000000078 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Loses which views of accounts by staff are open; that they began is in the events.
      DROP FUNCTION IF EXISTS memo.find_key;
      DROP TABLE accounts.account_views`);
  }
}
