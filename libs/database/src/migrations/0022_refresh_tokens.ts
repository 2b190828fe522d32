import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
-- The refresh token of each session that was opened since. Its value is replaced with every use; only hashes are stored.
CREATE TABLE accounts.refresh_tokens (
  session_id text PRIMARY KEY REFERENCES accounts.sessions ON DELETE CASCADE,
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
  CHECK ((former_hash IS NULL) = (replaced_at IS NULL) AND (successor_salt IS NULL) = (replaced_at IS NULL))
);
CREATE UNIQUE INDEX refresh_tokens_series ON accounts.refresh_tokens (series_hash);
GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.refresh_tokens TO console;
`;

const DOWN = `
-- Loses all refresh tokens: browsers have to sign in again when their access token expires.
DROP TABLE accounts.refresh_tokens;
`;

export class RefreshTokens0000000000022 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
