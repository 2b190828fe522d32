import { type MigrationInterface, type QueryRunner } from 'typeorm';

const UP = `
-- The identities of an account at OpenID providers. Only issuer and subject sign in; an email address proves nothing.
CREATE TABLE accounts.oauth_identities (
  id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts.accounts,
  issuer text NOT NULL,
  subject text NOT NULL,
  -- The address that the provider reported when the identity was linked. Null if it reported none.
  email text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (issuer, subject)
);
CREATE INDEX oauth_identities_account ON accounts.oauth_identities (account_id, created_at);

-- Sign-ins through a provider that were completed, so that none is completed twice.
CREATE TABLE accounts.oauth_flows_used (
  id_hash bytea PRIMARY KEY,
  -- The sign-in is refused after this time anyway, so the row can be deleted.
  expires_at timestamptz NOT NULL
);
CREATE INDEX oauth_flows_used_expiry ON accounts.oauth_flows_used (expires_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.oauth_identities, accounts.oauth_flows_used TO console;
`;

const DOWN = `
-- Loses the identities at OpenID providers: accounts without a password can no longer sign in.
DROP TABLE accounts.oauth_flows_used, accounts.oauth_identities;
`;

export class Identities0000000000009 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
