import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- What staff tells customers for a time.
CREATE TABLE accounts.announcements (
  id text,
  severity text NOT NULL,
  title_en text NOT NULL,
  body_en text NOT NULL,
  title_zh text NOT NULL,
  body_zh text NOT NULL,
  audience text NOT NULL,
  model text,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT announcements_pkey PRIMARY KEY (id),
  CONSTRAINT announcements_created_by_fkey FOREIGN KEY (created_by) REFERENCES accounts.accounts (id),
  CONSTRAINT announcements_severity_check CHECK (severity IN ('info', 'warning', 'critical')),
  CONSTRAINT announcements_audience_check CHECK (audience IN ('all', 'accounts', 'model')),
  CONSTRAINT announcements_model_check CHECK ((audience = 'model') = (model IS NOT NULL)),
  CONSTRAINT announcements_ends_check CHECK (ends_at > starts_at)
);
CREATE INDEX announcements_time ON accounts.announcements (created_at, id);
GRANT SELECT, INSERT, UPDATE ON accounts.announcements TO console;

-- The accounts that an announcement addresses, unless it addresses all; and those that have dismissed it.
CREATE TABLE accounts.announcement_accounts (
  announcement_id text NOT NULL,
  account_id text NOT NULL,
  dismissed_at timestamptz,
  CONSTRAINT announcement_accounts_pkey PRIMARY KEY (announcement_id, account_id),
  CONSTRAINT announcement_accounts_announcement_id_fkey FOREIGN KEY (announcement_id) REFERENCES accounts.announcements (id),
  CONSTRAINT announcement_accounts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id)
);
CREATE INDEX announcement_accounts_account ON accounts.announcement_accounts (account_id);
GRANT SELECT, INSERT, UPDATE ON accounts.announcement_accounts TO console;
`;

const DOWN = `
-- Loses the announcements, and who has dismissed them.
DROP TABLE accounts.announcement_accounts;
DROP TABLE accounts.announcements;
`;

/** Announcements of staff to customers. */
export class Announcements0000000000066 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
