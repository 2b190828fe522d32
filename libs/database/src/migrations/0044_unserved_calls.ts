import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';
import { NOT_BEFORE_ROLLUP, settle } from './0035_rollup_periods';

const UP = `
-- Calls that were refused or failed, and so cost nothing. One partition for each day of UTC, removed after 30 days.
CREATE TABLE metering.unserved_calls (
  request_id text,
  -- When the call ended, by the clock of the gateway.
  occurred_at timestamptz,
  started_at timestamptz NOT NULL,
  account_id text NOT NULL,
  api_key_id text,
  -- As the request named it, shortened. Null: it named none, or was refused unread.
  model text,
  entrypoint text NOT NULL,
  endpoint text NOT NULL,
  kind text NOT NULL,
  http_status integer NOT NULL,
  error_code text NOT NULL,
  -- The last one that was asked. Customers never see it.
  upstream text,
  duration_ms integer NOT NULL,
  time_to_first_byte_ms integer,
  CONSTRAINT unserved_calls_pkey PRIMARY KEY (occurred_at, request_id),
  CONSTRAINT unserved_calls_kind_check CHECK (kind IN ('refused', 'failed'))
) PARTITION BY RANGE (occurred_at);
CREATE INDEX unserved_calls_account ON metering.unserved_calls (account_id, kind, occurred_at);
GRANT SELECT ON metering.unserved_calls TO console;
GRANT INSERT ON metering.unserved_calls TO gateway;

-- Null in what was settled before, by an earlier gateway, or where it is not known.
ALTER TABLE metering.usage_events
  ADD duration_ms integer,
  ADD time_to_first_token_ms integer,
  ADD finish_reason text;
-- Calls, each counted at its first line only. Null in hours before.
ALTER TABLE metering.hourly_rollup ADD calls bigint;
`;

const DOWN = `
-- Loses the refused and failed calls, and of the served ones their times, finish reasons and counts.
${settle(NOT_BEFORE_ROLLUP)};
ALTER FUNCTION metering.settle(text, jsonb) SET plan_cache_mode = force_generic_plan;
DROP FUNCTION IF EXISTS metering.ensure_unserved_call_days;
DROP TABLE metering.unserved_calls;
ALTER TABLE metering.usage_events DROP duration_ms, DROP time_to_first_token_ms, DROP finish_reason;
ALTER TABLE metering.hourly_rollup DROP calls;
`;

/** A log of refused and failed calls; times, finish reasons and counts of served ones. */
export class UnservedCalls0000000000044 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
