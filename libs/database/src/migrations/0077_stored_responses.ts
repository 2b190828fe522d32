import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- Whether the responses of models may be stored, and since when that is said; null: it was never changed. What was stored before is not shown.
ALTER TABLE accounts.accounts
  ADD COLUMN IF NOT EXISTS stores_responses boolean NOT NULL DEFAULT false,
  ADD COLUMN IF NOT EXISTS stores_responses_set_at timestamptz;
GRANT SELECT (stores_responses) ON accounts.accounts TO agent, memo, router_cost, training;
GRANT SELECT (stores_responses, stores_responses_set_at) ON accounts.accounts TO gateway;

CREATE SCHEMA IF NOT EXISTS responses;
GRANT USAGE ON SCHEMA responses TO gateway;
-- What customers have said to models and got, for 30 days, if their account agrees.
CREATE TABLE IF NOT EXISTS responses.stored (
  account_id text,
  id text,
  -- Null: a service has called without a key.
  api_key_id text,
  -- What it goes on from.
  previous_id text,
  -- JSON: the items of this request alone, and the response as it was sent.
  input bytea NOT NULL,
  response bytea NOT NULL,
  bytes integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT stored_pkey PRIMARY KEY (account_id, id)
);
CREATE INDEX IF NOT EXISTS stored_account ON responses.stored (account_id, created_at);
CREATE INDEX IF NOT EXISTS stored_age ON responses.stored (created_at);
GRANT SELECT, INSERT, DELETE ON responses.stored TO gateway;
`;

/** What is stored of accounts that have changed their mind is deleted. */
const INDEX = 'ON accounts.accounts (stores_responses_set_at) WHERE stores_responses_set_at IS NOT NULL';

const DOWN = `
-- Loses all stored responses, and which accounts have agreed to them.
DROP SCHEMA responses CASCADE;
DO $$ BEGIN
  -- Functions are installed after all migrations, and the trigger with them.
  IF EXISTS (SELECT FROM pg_trigger WHERE tgname = 'account_changed') THEN
    CREATE OR REPLACE TRIGGER account_changed AFTER DELETE OR UPDATE OF role ON accounts.accounts
      FOR EACH ROW EXECUTE FUNCTION accounts.notify_credential_change('account');
  END IF;
END $$;
DROP INDEX accounts.accounts_stores_responses_set;
ALTER TABLE accounts.accounts DROP stores_responses, DROP stores_responses_set_at;
`;

/** Responses that are stored for accounts that want it. */
export class StoredResponses0000000000077 implements Migration {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS accounts.accounts_stores_responses_set');
    await runner.query(`CREATE INDEX CONCURRENTLY accounts_stores_responses_set ${INDEX}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
