import { type MigrationInterface, type QueryRunner } from 'typeorm';

const UP = `
CREATE SCHEMA accounts;
GRANT USAGE ON SCHEMA accounts TO console, gateway, router_cost, training, agent, memo;

CREATE TABLE accounts.accounts (
  id text PRIMARY KEY,
  email text NOT NULL CHECK (email = lower(email)),
  phone text,
  username text CHECK (username = lower(username)),
  password_hash text NOT NULL,
  role text NOT NULL DEFAULT 'user' CHECK (role IN ('user', 'analyst', 'admin')),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX accounts_email ON accounts.accounts (email);
CREATE UNIQUE INDEX accounts_phone ON accounts.accounts (phone);
CREATE UNIQUE INDEX accounts_username ON accounts.accounts (username);

CREATE TABLE accounts.sessions (
  id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts.accounts,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  ended_at timestamptz
);
CREATE INDEX sessions_account ON accounts.sessions (account_id);
CREATE INDEX sessions_expiry ON accounts.sessions (expires_at);

-- The row of a deleted key is kept, because usage events refer to it. Its hash is removed.
CREATE TABLE accounts.api_keys (
  id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts.accounts,
  name text NOT NULL,
  prefix text NOT NULL,
  key_hash bytea,
  spend_limit_picos numeric(38, 0) CHECK (spend_limit_picos >= 0),
  allowed_models text[],
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  deleted_at timestamptz,
  CHECK ((key_hash IS NULL) = (deleted_at IS NOT NULL))
);
CREATE UNIQUE INDEX api_keys_hash ON accounts.api_keys (key_hash);
CREATE INDEX api_keys_account ON accounts.api_keys (account_id, created_at DESC) WHERE deleted_at IS NULL;

-- Notifies all processes when a credential ends or changes, whichever statement does it.
CREATE FUNCTION accounts.notify_credential_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('credentials', TG_ARGV[0] || ':' || OLD.id);
  RETURN NULL;
END $$;
CREATE TRIGGER api_key_changed AFTER DELETE OR UPDATE OF deleted_at, key_hash, spend_limit_picos, allowed_models
  ON accounts.api_keys FOR EACH ROW EXECUTE FUNCTION accounts.notify_credential_change('api_key');
CREATE TRIGGER session_changed AFTER DELETE OR UPDATE OF ended_at
  ON accounts.sessions FOR EACH ROW EXECUTE FUNCTION accounts.notify_credential_change('session');
CREATE TRIGGER account_changed AFTER DELETE OR UPDATE OF role
  ON accounts.accounts FOR EACH ROW EXECUTE FUNCTION accounts.notify_credential_change('account');

GRANT SELECT, INSERT, UPDATE ON accounts.accounts, accounts.api_keys TO console;
GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.sessions TO console;
GRANT SELECT (id, role) ON accounts.accounts TO gateway, router_cost, training, agent, memo;
GRANT SELECT ON accounts.sessions TO gateway, router_cost, training, agent, memo;
GRANT SELECT, UPDATE (last_used_at) ON accounts.api_keys TO gateway, router_cost, training, agent, memo;
`;

const DOWN = `
-- Loses all accounts, sessions and API keys.
DROP SCHEMA accounts CASCADE;
`;

export class Accounts0000000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
