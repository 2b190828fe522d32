import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- An announcement that goes out by mail, once.
CREATE TABLE accounts.announcement_mailings (
  announcement_id text,
  -- Which of the addressed accounts get it; null: that does not matter.
  used_model text,
  active_within_days integer,
  tier text,
  recipients integer NOT NULL,
  queued integer NOT NULL DEFAULT 0,
  started_by text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at timestamptz,
  cancelled_at timestamptz,
  CONSTRAINT announcement_mailings_pkey PRIMARY KEY (announcement_id),
  CONSTRAINT announcement_mailings_announcement_id_fkey FOREIGN KEY (announcement_id) REFERENCES accounts.announcements (id),
  CONSTRAINT announcement_mailings_started_by_fkey FOREIGN KEY (started_by) REFERENCES accounts.accounts (id)
);
CREATE INDEX announcement_mailings_unfinished ON accounts.announcement_mailings (started_at) WHERE finished_at IS NULL AND cancelled_at IS NULL;
GRANT SELECT, INSERT, UPDATE ON accounts.announcement_mailings TO console;

-- Who gets it. A row is marked in the transaction that puts the mail into the outbox, so that each account gets one.
CREATE TABLE accounts.announcement_recipients (
  announcement_id text NOT NULL,
  account_id text NOT NULL,
  queued_at timestamptz,
  CONSTRAINT announcement_recipients_pkey PRIMARY KEY (announcement_id, account_id),
  CONSTRAINT announcement_recipients_announcement_id_fkey FOREIGN KEY (announcement_id)
    REFERENCES accounts.announcement_mailings (announcement_id),
  CONSTRAINT announcement_recipients_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id)
);
CREATE INDEX announcement_recipients_account ON accounts.announcement_recipients (account_id);
CREATE INDEX announcement_recipients_waiting ON accounts.announcement_recipients (announcement_id) WHERE queued_at IS NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.announcement_recipients TO console;

-- Who was ever sent an announcement. The code is in each mail, and lets its holder do nothing but stop and resume such mails.
CREATE TABLE accounts.mail_preferences (
  account_id text,
  unsubscribe_code text NOT NULL,
  announcements_off_at timestamptz,
  CONSTRAINT mail_preferences_pkey PRIMARY KEY (account_id),
  CONSTRAINT mail_preferences_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id)
);
CREATE UNIQUE INDEX mail_preferences_code ON accounts.mail_preferences (unsubscribe_code);
GRANT SELECT, INSERT, UPDATE ON accounts.mail_preferences TO console;
`;

const DOWN = `
-- Loses who was sent announcements by mail, and who wants none: nobody may be sent any until they are restored.
DROP TABLE accounts.mail_preferences;
DROP TABLE accounts.announcement_recipients;
DROP TABLE accounts.announcement_mailings;
`;

/** Announcements by mail. */
export class AnnouncementMails0000000000070 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
