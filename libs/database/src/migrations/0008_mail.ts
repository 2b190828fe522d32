import { type MigrationInterface, type QueryRunner } from 'typeorm';

const UP = `
-- Mails are inserted in the transaction that they report and sent after it. The table contains no secrets: the token of a
-- mail is created when the mail is sent.
CREATE TABLE accounts.mail_outbox (
  id text PRIMARY KEY,
  kind text NOT NULL,
  -- The identifier that a caller entered. The sender looks up whether an account has it.
  identifier text,
  account_id text REFERENCES accounts.accounts,
  params jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  -- A sender works on the mail until this time. After it other senders may take the mail.
  claimed_until timestamptz,
  last_error text,
  CHECK ((identifier IS NULL) <> (account_id IS NULL))
);
CREATE INDEX mail_outbox_due ON accounts.mail_outbox (next_attempt_at);

CREATE FUNCTION accounts.notify_mail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('mail', '');
  RETURN NULL;
END $$;
CREATE TRIGGER mail_queued AFTER INSERT ON accounts.mail_outbox
  FOR EACH STATEMENT EXECUTE FUNCTION accounts.notify_mail();

-- A valid token gives the same access as a password, so only its SHA-256 is stored.
CREATE TABLE accounts.mail_tokens (
  token_hash bytea PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts.accounts,
  purpose text NOT NULL CHECK (purpose IN ('verify_email', 'reset_password')),
  -- The address that the token was sent to.
  email text NOT NULL,
  -- The mail that contains the token. A mail that is sent twice has two tokens and counts once.
  mail_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);
CREATE INDEX mail_tokens_account ON accounts.mail_tokens (account_id, purpose, created_at);
CREATE INDEX mail_tokens_expiry ON accounts.mail_tokens (expires_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.mail_outbox, accounts.mail_tokens TO console;
`;

const DOWN = `
-- Loses the mails that are not sent yet, and the links of those that are.
DROP TABLE accounts.mail_tokens, accounts.mail_outbox;
DROP FUNCTION accounts.notify_mail;
`;

export class Mail0000000000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
