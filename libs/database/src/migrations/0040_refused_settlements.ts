import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- Requests that a gateway has given up to settle. They are free for ever, because their settlement id is taken.
CREATE TABLE metering.refused_requests (
  request_id text PRIMARY KEY,
  account_id text NOT NULL,
  settlement_id text NOT NULL,
  refused_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- What was to be charged, as metering.settle takes it.
  event jsonb NOT NULL
);
CREATE INDEX refused_requests_settlement ON metering.refused_requests (settlement_id);
CREATE INDEX refused_requests_age ON metering.refused_requests (refused_at);
GRANT SELECT ON metering.refused_requests TO console;
`;

const DOWN = `
-- Loses which requests were refused; their settlement ids stay for a day.
CREATE OR REPLACE FUNCTION metering.delete_old_settlements() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
  DELETE FROM metering.settlements WHERE settled_at < clock_timestamp() - interval '1 day';
$$;
DROP FUNCTION IF EXISTS metering.refuse_settlement;
DROP TABLE metering.refused_requests;
`;

/** A gateway that does not learn whether a batch was settled refuses it under the same id. */
export class RefusedSettlements0000000000040 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
