-- Up Migration
-- An account that only ever signs in elsewhere has no password.
ALTER TABLE accounts.accounts
  ALTER password_hash DROP NOT NULL,
  ADD email_verified_at timestamptz,
  ADD language text NOT NULL DEFAULT 'en' CHECK (language IN ('en', 'zh-CN')),
  -- Counts the changes of what the account signs in with: a sign-in begun before one is worth nothing after it.
  ADD credentials_version integer NOT NULL DEFAULT 0;

CREATE INDEX accounts_time ON accounts.accounts (created_at DESC, id DESC);
CREATE INDEX accounts_admins ON accounts.accounts (id) WHERE role = 'admin';

-- Who did what to an account's security, when and from where. Nothing is ever changed or deleted.
CREATE TABLE accounts.security_events (
  id text PRIMARY KEY,
  -- Null for a failed sign-in as somebody who is unknown here.
  account_id text REFERENCES accounts.accounts,
  type text NOT NULL,
  -- The account that did it; null for somebody who is not signed in, and for an operator's command.
  actor_id text REFERENCES accounts.accounts,
  address text,
  user_agent text,
  details jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX security_events_account ON accounts.security_events (account_id, created_at DESC, id DESC);
CREATE INDEX security_events_time ON accounts.security_events (created_at DESC, id DESC);

-- An authenticator (RFC 6238). Its secret is encrypted, since it has to be read again.
CREATE TABLE accounts.totp (
  account_id text PRIMARY KEY REFERENCES accounts.accounts,
  sealed_secret text NOT NULL,
  -- Null until a code has shown that the authenticator has the secret.
  enabled_at timestamptz,
  -- The newest time step whose code was taken: no code is taken twice.
  last_step bigint NOT NULL DEFAULT 0
);

CREATE TABLE accounts.recovery_codes (
  account_id text NOT NULL REFERENCES accounts.accounts,
  code_hash bytea NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (account_id, code_hash)
);

-- What a sign-in with a second factor waits for.
CREATE TABLE accounts.login_challenges (
  id_hash bytea PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts.accounts,
  credentials_version integer NOT NULL,
  -- How the first factor was shown.
  method text NOT NULL,
  tries_left smallint NOT NULL CHECK (tries_left >= 0),
  expires_at timestamptz NOT NULL,
  ended_at timestamptz
);
CREATE INDEX login_challenges_account ON accounts.login_challenges (account_id);

-- A session that was over is deleted without telling anybody.
DROP TRIGGER session_changed ON accounts.sessions;
CREATE TRIGGER session_changed AFTER UPDATE OF ended_at ON accounts.sessions
  FOR EACH ROW EXECUTE FUNCTION accounts.notify_credential_change('session');
CREATE TRIGGER session_deleted AFTER DELETE ON accounts.sessions
  FOR EACH ROW WHEN (OLD.ended_at IS NULL AND OLD.expires_at > now())
  EXECUTE FUNCTION accounts.notify_credential_change('session');

GRANT SELECT, INSERT ON accounts.security_events TO console;
GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.totp, accounts.recovery_codes, accounts.login_challenges TO console;
