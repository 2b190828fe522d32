CREATE SCHEMA accounts;
GRANT USAGE ON SCHEMA accounts TO agent, console, gateway, memo, router_cost, training;

-- An index needs it from the start. Its present text is in functions/accounts/address_network.sql.
CREATE FUNCTION accounts.address_network(p_address text)
RETURNS text LANGUAGE sql IMMUTABLE STRICT
AS $$
  SELECT CASE
    WHEN p_address NOT LIKE '%:%' OR NOT pg_input_is_valid(split_part(p_address, '%', 1), 'inet')
      THEN left(p_address, 45)
    -- An IPv4 address as a socket for both kinds shows it.
    WHEN split_part(p_address, '%', 1)::inet <<= '::ffff:0:0/96'
      THEN substring(host(split_part(p_address, '%', 1)::inet) FROM 8)
    ELSE network(set_masklen(split_part(p_address, '%', 1)::inet, 64))::text
  END;
$$;
REVOKE EXECUTE ON FUNCTION accounts.address_network FROM PUBLIC;
GRANT EXECUTE ON FUNCTION accounts.address_network TO console;

CREATE TABLE accounts.accounts (
  id text,
  email text NOT NULL,
  phone text,
  username text,
  password_hash text,
  role text NOT NULL DEFAULT 'user',
  created_at timestamptz NOT NULL DEFAULT now(),
  email_verified_at timestamptz,
  language text NOT NULL DEFAULT 'en',
  -- Number of changes of the credentials. A sign-in that began before a change is refused after it.
  credentials_version integer NOT NULL DEFAULT 0,
  CONSTRAINT accounts_pkey PRIMARY KEY (id),
  CONSTRAINT accounts_email_check CHECK (email = lower(email)),
  CONSTRAINT accounts_username_check CHECK (username = lower(username)),
  CONSTRAINT accounts_role_check CHECK (role IN ('user', 'analyst', 'admin')),
  CONSTRAINT accounts_language_check CHECK (language IN ('en', 'zh-CN'))
);
CREATE UNIQUE INDEX accounts_email ON accounts.accounts (email);
CREATE UNIQUE INDEX accounts_phone ON accounts.accounts (phone);
CREATE UNIQUE INDEX accounts_username ON accounts.accounts (username);
CREATE INDEX accounts_time ON accounts.accounts (created_at DESC, id DESC);
CREATE INDEX accounts_admins ON accounts.accounts (id) WHERE role = 'admin';
CREATE INDEX accounts_search ON accounts.accounts USING gin (email gin_trgm_ops, username gin_trgm_ops, phone gin_trgm_ops, id gin_trgm_ops);
GRANT SELECT, INSERT, UPDATE ON accounts.accounts TO console;
GRANT SELECT (id, role) ON accounts.accounts TO agent, gateway, memo, router_cost, training;

CREATE TABLE accounts.sessions (
  id text,
  account_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  ended_at timestamptz,
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id)
);
CREATE INDEX sessions_account ON accounts.sessions (account_id);
CREATE INDEX sessions_expiry ON accounts.sessions (expires_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.sessions TO console;
GRANT SELECT ON accounts.sessions TO agent, gateway, memo, router_cost, training;

-- The row of a deleted key is kept, because usage events refer to it. Its hash is removed.
CREATE TABLE accounts.api_keys (
  id text,
  account_id text NOT NULL,
  name text NOT NULL,
  prefix text NOT NULL,
  key_hash bytea,
  spend_limit_picos numeric(38, 0),
  allowed_models text[],
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  deleted_at timestamptz,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_spend_limit_picos_check CHECK (spend_limit_picos >= 0),
  CONSTRAINT api_keys_check CHECK ((key_hash IS NULL) = (deleted_at IS NOT NULL)),
  CONSTRAINT api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id)
);
CREATE UNIQUE INDEX api_keys_hash ON accounts.api_keys (key_hash);
CREATE INDEX api_keys_account ON accounts.api_keys (account_id, created_at DESC) WHERE deleted_at IS NULL;
GRANT SELECT, INSERT, UPDATE ON accounts.api_keys TO console;
GRANT SELECT ON accounts.api_keys TO agent, gateway, memo, router_cost, training;
GRANT UPDATE (last_used_at) ON accounts.api_keys TO agent, gateway, memo, router_cost, training;

-- The audit log: who changed the security of an account, when and from where. Rows are never changed or deleted.
CREATE TABLE accounts.security_events (
  id text,
  -- Null for a failed sign-in with an unknown identifier.
  account_id text,
  type text NOT NULL,
  -- The account that acted. Null for a caller that is not signed in and for an operator's command.
  actor_id text,
  address text,
  user_agent text,
  details jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT security_events_pkey PRIMARY KEY (id),
  CONSTRAINT security_events_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id),
  CONSTRAINT security_events_actor_id_fkey FOREIGN KEY (actor_id) REFERENCES accounts.accounts (id)
);
CREATE INDEX security_events_account ON accounts.security_events (account_id, created_at DESC, id DESC);
CREATE INDEX security_events_time ON accounts.security_events (created_at DESC, id DESC);
CREATE INDEX security_events_networks ON accounts.security_events (account_id, accounts.address_network(address), created_at) WHERE type IN ('session.opened', 'password.reset');
GRANT SELECT, INSERT ON accounts.security_events TO console;

-- Authenticators (RFC 6238). The secret is encrypted and not hashed, because checking a code needs it.
CREATE TABLE accounts.totp (
  account_id text,
  sealed_secret text NOT NULL,
  -- Null until a correct code has proved that the authenticator has the secret.
  enabled_at timestamptz,
  -- The time step of the last accepted code. Codes of this and earlier steps are refused.
  last_step bigint NOT NULL DEFAULT 0,
  CONSTRAINT totp_pkey PRIMARY KEY (account_id),
  CONSTRAINT totp_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.totp TO console;

CREATE TABLE accounts.recovery_codes (
  account_id text,
  code_hash bytea,
  used_at timestamptz,
  CONSTRAINT recovery_codes_pkey PRIMARY KEY (account_id, code_hash),
  CONSTRAINT recovery_codes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.recovery_codes TO console;

-- Sign-ins that wait for a second factor.
CREATE TABLE accounts.login_challenges (
  id_hash bytea,
  account_id text NOT NULL,
  credentials_version integer NOT NULL,
  -- The kind of the first factor.
  method text NOT NULL,
  attempts_left smallint NOT NULL,
  expires_at timestamptz NOT NULL,
  ended_at timestamptz,
  CONSTRAINT login_challenges_pkey PRIMARY KEY (id_hash),
  CONSTRAINT login_challenges_attempts_left_check CHECK (attempts_left >= 0),
  CONSTRAINT login_challenges_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id)
);
CREATE INDEX login_challenges_account ON accounts.login_challenges (account_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.login_challenges TO console;

-- Failed attempts at a secret, one row for each subject that they are counted for.
CREATE TABLE accounts.login_attempts (
  subject text,
  -- The number at counted_at. It falls with time after that.
  failures double precision NOT NULL,
  counted_at timestamptz NOT NULL,
  -- No attempt is admitted before this time. Null if the next attempt need not wait.
  retry_at timestamptz,
  -- From this time on the row has no effect and can be deleted.
  expires_at timestamptz NOT NULL,
  CONSTRAINT login_attempts_pkey PRIMARY KEY (subject),
  CONSTRAINT login_attempts_failures_check CHECK (failures >= 0)
);
CREATE INDEX login_attempts_expiry ON accounts.login_attempts (expires_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.login_attempts TO console;

-- Mails are inserted in the transaction that they report and sent after it. The table contains no secrets: the token of a
-- mail is created when the mail is sent.
CREATE TABLE accounts.mail_outbox (
  id text,
  kind text NOT NULL,
  -- The identifier that a caller entered. The sender looks up whether an account has it.
  identifier text,
  account_id text,
  params jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  -- A sender works on the mail until this time. After it other senders may take the mail.
  claimed_until timestamptz,
  last_error text,
  due_at timestamptz NOT NULL GENERATED ALWAYS AS (greatest(next_attempt_at, claimed_until)) STORED,
  CONSTRAINT mail_outbox_pkey PRIMARY KEY (id),
  CONSTRAINT mail_outbox_check CHECK ((identifier IS NULL) <> (account_id IS NULL)),
  CONSTRAINT mail_outbox_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id)
);
CREATE INDEX mail_outbox_due ON accounts.mail_outbox (due_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.mail_outbox TO console;

-- A valid token gives the same access as a password, so only its SHA-256 is stored.
CREATE TABLE accounts.mail_tokens (
  token_hash bytea,
  account_id text NOT NULL,
  purpose text NOT NULL,
  -- The address that the token was sent to.
  email text NOT NULL,
  -- The mail that contains the token. A mail that is sent twice has two tokens and counts once.
  mail_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  CONSTRAINT mail_tokens_pkey PRIMARY KEY (token_hash),
  CONSTRAINT mail_tokens_purpose_check CHECK (purpose IN ('verify_email', 'reset_password')),
  CONSTRAINT mail_tokens_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id)
);
CREATE INDEX mail_tokens_account ON accounts.mail_tokens (account_id, purpose, created_at);
CREATE INDEX mail_tokens_expiry ON accounts.mail_tokens (expires_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.mail_tokens TO console;

-- The identities of an account at OpenID providers. Only issuer and subject sign in; an email address proves nothing.
CREATE TABLE accounts.oauth_identities (
  id text,
  account_id text NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  -- The address that the provider reported when the identity was linked. Null if it reported none.
  email text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT oauth_identities_pkey PRIMARY KEY (id),
  CONSTRAINT oauth_identities_issuer_subject_key UNIQUE (issuer, subject),
  CONSTRAINT oauth_identities_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id)
);
CREATE INDEX oauth_identities_account ON accounts.oauth_identities (account_id, created_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.oauth_identities TO console;

-- Sign-ins through a provider that were completed, so that none is completed twice.
CREATE TABLE accounts.oauth_flows_used (
  id_hash bytea,
  -- The sign-in is refused after this time anyway, so the row can be deleted.
  expires_at timestamptz NOT NULL,
  CONSTRAINT oauth_flows_used_pkey PRIMARY KEY (id_hash)
);
CREATE INDEX oauth_flows_used_expiry ON accounts.oauth_flows_used (expires_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.oauth_flows_used TO console;

-- The refresh token of each session that was opened since. Its value is replaced with every use; only hashes are stored.
CREATE TABLE accounts.refresh_tokens (
  session_id text,
  -- Of the part that all values of the token share.
  series_hash bytea NOT NULL,
  -- Of the present value.
  value_hash bytea NOT NULL,
  -- Of the value before, and what turns that one into the present one. Null until the first replacement.
  former_hash bytea,
  successor_salt bytea,
  replaced_at timestamptz,
  -- The last request that got a value: the sign-in, or a refresh.
  used_at timestamptz NOT NULL DEFAULT now(),
  address text,
  user_agent text,
  CONSTRAINT refresh_tokens_pkey PRIMARY KEY (session_id),
  CONSTRAINT refresh_tokens_check CHECK (((former_hash IS NULL) = (replaced_at IS NULL)) AND ((successor_salt IS NULL) = (replaced_at IS NULL))),
  CONSTRAINT refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES accounts.sessions (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX refresh_tokens_series ON accounts.refresh_tokens (series_hash);
GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.refresh_tokens TO console;
