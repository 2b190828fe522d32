-- Up Migration
-- Who an account is at another provider. An address proves nothing here: the issuer's subject alone signs in.
CREATE TABLE accounts.oauth_identities (
  id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts.accounts,
  issuer text NOT NULL,
  subject text NOT NULL,
  -- What the provider said when the identity was linked; null when it said none.
  email text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (issuer, subject)
);
CREATE INDEX oauth_identities_account ON accounts.oauth_identities (account_id, created_at);

-- Sign-ins through a provider that have come back, so that none comes back twice.
CREATE TABLE accounts.oauth_flows_used (
  id_hash bytea PRIMARY KEY,
  -- No row is needed any longer than its flow could be used.
  expires_at timestamptz NOT NULL
);
CREATE INDEX oauth_flows_used_expiry ON accounts.oauth_flows_used (expires_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.oauth_identities, accounts.oauth_flows_used TO console;
