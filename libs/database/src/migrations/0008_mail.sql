-- Up Migration
-- Mails that are ordered in the transaction they tell of, and sent after it. Nothing here is a secret: the token of a
-- mail is made when the mail is sent.
CREATE TABLE accounts.mail_outbox (
  id text PRIMARY KEY,
  kind text NOT NULL,
  -- What somebody typed, whether or not there is such an account: the sender looks it up.
  identifier text,
  account_id text REFERENCES accounts.accounts,
  params jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  -- While a sender is at work on it. One that dies leaves it to the others then.
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

-- A token is as good as a password while it is valid, so that only its SHA-256 is kept.
CREATE TABLE accounts.mail_tokens (
  token_hash bytea PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts.accounts,
  purpose text NOT NULL CHECK (purpose IN ('verify_email', 'reset_password')),
  -- The address it is sent to.
  email text NOT NULL,
  -- The mail it is in: one that is sent again has another token, and still counts once.
  mail_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);
CREATE INDEX mail_tokens_account ON accounts.mail_tokens (account_id, purpose, created_at);
CREATE INDEX mail_tokens_expiry ON accounts.mail_tokens (expires_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.mail_outbox, accounts.mail_tokens TO console;
