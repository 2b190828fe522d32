import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- The idempotency keys of the last day. The answers are in the memory of gateways only.
CREATE TABLE metering.idempotent_calls (
  account_id text,
  -- Empty for a call that a service makes without a key.
  api_key_id text,
  endpoint text,
  -- SHA-256 of the key, and of the body of its call.
  idempotency_hash text,
  body_hash text NOT NULL,
  request_id text NOT NULL,
  claimed_at timestamptz NOT NULL,
  -- Until then the process is working on the call, or has died since.
  held_until timestamptz NOT NULL,
  CONSTRAINT idempotent_calls_pkey PRIMARY KEY (account_id, api_key_id, endpoint, idempotency_hash),
  CONSTRAINT idempotent_calls_request_id_key UNIQUE (request_id)
);
CREATE INDEX idempotent_calls_age ON metering.idempotent_calls (claimed_at);
GRANT SELECT, DELETE ON metering.idempotent_calls TO gateway;
GRANT UPDATE (held_until) ON metering.idempotent_calls TO gateway;
`;

const DOWN = `
-- Loses the idempotency keys: a retry of a call of the last day is a new call.
DROP FUNCTION IF EXISTS metering.claim_call, metering.delete_old_idempotent_calls, wallet.free_money;
DROP TABLE metering.idempotent_calls;
`;

/** Idempotency keys of calls. `wallet.free_money`, which limits the answers of others, comes with the function files. */
export class IdempotentCalls0000000000062 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
