import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
-- An account that signs in only through an OpenID provider has no password.
ALTER TABLE accounts.accounts
  ALTER password_hash DROP NOT NULL,
  ADD email_verified_at timestamptz,
  ADD language text NOT NULL DEFAULT 'en' CHECK (language IN ('en', 'zh-CN')),
  -- Number of changes of the credentials. A sign-in that began before a change is refused after it.
  ADD credentials_version integer NOT NULL DEFAULT 0;

CREATE INDEX accounts_time ON accounts.accounts (created_at DESC, id DESC);
CREATE INDEX accounts_admins ON accounts.accounts (id) WHERE role = 'admin';

-- The audit log: who changed the security of an account, when and from where. Rows are never changed or deleted.
CREATE TABLE accounts.security_events (
  id text PRIMARY KEY,
  -- Null for a failed sign-in with an unknown identifier.
  account_id text REFERENCES accounts.accounts,
  type text NOT NULL,
  -- The account that acted. Null for a caller that is not signed in and for an operator's command.
  actor_id text REFERENCES accounts.accounts,
  address text,
  user_agent text,
  details jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX security_events_account ON accounts.security_events (account_id, created_at DESC, id DESC);
CREATE INDEX security_events_time ON accounts.security_events (created_at DESC, id DESC);

-- Authenticators (RFC 6238). The secret is encrypted and not hashed, because checking a code needs it.
CREATE TABLE accounts.totp (
  account_id text PRIMARY KEY REFERENCES accounts.accounts,
  sealed_secret text NOT NULL,
  -- Null until a correct code has proved that the authenticator has the secret.
  enabled_at timestamptz,
  -- The time step of the last accepted code. Codes of this and earlier steps are refused.
  last_step bigint NOT NULL DEFAULT 0
);

CREATE TABLE accounts.recovery_codes (
  account_id text NOT NULL REFERENCES accounts.accounts,
  code_hash bytea NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (account_id, code_hash)
);

-- Sign-ins that wait for a second factor.
CREATE TABLE accounts.login_challenges (
  id_hash bytea PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts.accounts,
  credentials_version integer NOT NULL,
  -- The kind of the first factor.
  method text NOT NULL,
  tries_left smallint NOT NULL CHECK (tries_left >= 0),
  expires_at timestamptz NOT NULL,
  ended_at timestamptz
);
CREATE INDEX login_challenges_account ON accounts.login_challenges (account_id);

-- Deleting a session that has already ended sends no notification.
DROP TRIGGER session_changed ON accounts.sessions;
CREATE TRIGGER session_changed AFTER UPDATE OF ended_at ON accounts.sessions
  FOR EACH ROW EXECUTE FUNCTION accounts.notify_credential_change('session');
CREATE TRIGGER session_deleted AFTER DELETE ON accounts.sessions
  FOR EACH ROW WHEN (OLD.ended_at IS NULL AND OLD.expires_at > now())
  EXECUTE FUNCTION accounts.notify_credential_change('session');

GRANT SELECT, INSERT ON accounts.security_events TO console;
GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.totp, accounts.recovery_codes, accounts.login_challenges TO console;
`;

const DOWN = `
-- Loses the audit log, all second factors, the languages, and which addresses are verified. An account without a password
-- gets an empty hash, which no password matches.
DROP TRIGGER session_deleted ON accounts.sessions;
DROP TRIGGER session_changed ON accounts.sessions;
CREATE TRIGGER session_changed AFTER DELETE OR UPDATE OF ended_at
  ON accounts.sessions FOR EACH ROW EXECUTE FUNCTION accounts.notify_credential_change('session');
DROP TABLE accounts.login_challenges, accounts.recovery_codes, accounts.totp, accounts.security_events;
DROP INDEX accounts.accounts_admins, accounts.accounts_time;
UPDATE accounts.accounts SET password_hash = '' WHERE password_hash IS NULL;
ALTER TABLE accounts.accounts
  ALTER password_hash SET NOT NULL,
  DROP email_verified_at,
  DROP language,
  DROP credentials_version;
`;

export class AccountSecurity0000000000006 implements Migration {
  readonly acceptedLock =
    'It was released before this check. It reads all accounts and builds two indexes of them.';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
