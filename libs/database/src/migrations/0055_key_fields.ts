import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- Where the days of the account begin.
ALTER TABLE accounts.accounts ADD time_zone text NOT NULL DEFAULT 'UTC';
-- The previous version obeys none of them: while both run, its services accept keys that are disabled, expired, or sent from elsewhere.
ALTER TABLE accounts.api_keys
  ADD description text NOT NULL DEFAULT '',
  ADD tags text[] NOT NULL DEFAULT '{}',
  ADD disabled_at timestamptz,
  ADD expires_at timestamptz,
  ADD expiry_notice_days integer,
  ADD allowed_ips text[],
  ADD spend_period text NOT NULL DEFAULT 'total',
  ADD requests_per_minute integer,
  ADD tokens_per_minute integer,
  ADD max_concurrency integer;

-- Secrets that a rotation has replaced, which work until they end.
CREATE TABLE accounts.former_key_secrets (
  key_hash bytea,
  api_key_id text NOT NULL,
  ends_at timestamptz NOT NULL,
  CONSTRAINT former_key_secrets_pkey PRIMARY KEY (key_hash),
  CONSTRAINT former_key_secrets_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES accounts.api_keys
);
CREATE INDEX former_key_secrets_key ON accounts.former_key_secrets (api_key_id);
CREATE INDEX former_key_secrets_end ON accounts.former_key_secrets (ends_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.former_key_secrets TO console;
GRANT SELECT ON accounts.former_key_secrets TO agent, gateway, memo, router_cost, training;

-- A limit of a period counts what is settled in it. The period begins with a day of the time zone.
ALTER TABLE wallet.key_budgets
  ADD period text NOT NULL DEFAULT 'total',
  ADD time_zone text NOT NULL DEFAULT 'UTC',
  ADD period_starts_on date,
  ADD period_spent_picos numeric(38, 0) NOT NULL DEFAULT 0;
GRANT UPDATE (period, time_zone, period_starts_on, period_spent_picos) ON wallet.key_budgets TO console;

CREATE OR REPLACE VIEW wallet.key_spending AS
  SELECT b.api_key_id, b.account_id, b.limit_picos, b.spent_picos + coalesce(u.cost, 0) AS spent_picos,
    -- What counts against the limit now.
    CASE WHEN b.period = 'total' THEN b.spent_picos + coalesce(u.cost, 0)
      ELSE CASE WHEN b.period_starts_on = p.starts_on THEN b.period_spent_picos ELSE 0 END + coalesce(u.cost_of_period, 0)
    END AS counted_picos,
    -- When the count begins anew; null for a limit in all.
    (p.starts_on + CASE b.period WHEN 'day' THEN interval '1 day' WHEN 'week' THEN interval '7 days' ELSE interval '1 month' END)
      AT TIME ZONE b.time_zone AS period_ends_at
  FROM wallet.key_budgets b
  CROSS JOIN LATERAL (
    SELECT date_trunc(nullif(b.period, 'total'), clock_timestamp() AT TIME ZONE b.time_zone)::date AS starts_on
  ) p
  LEFT JOIN LATERAL (
    SELECT sum(cost_picos) AS cost, sum(cost_picos) FILTER (
      WHERE date_trunc(nullif(b.period, 'total'), appended_at AT TIME ZONE b.time_zone)::date = p.starts_on
    ) AS cost_of_period
    FROM metering.unfolded_usage
    WHERE account_id = b.account_id AND api_key_id = b.api_key_id
  ) u ON true;
`;

const DOWN = `
-- Loses the time zones of accounts, what else was said of keys, and the secrets that a rotation has replaced. A key that was disabled, that
-- has expired or that was bound to addresses works again, and a limit of a period becomes one in all.
DO $$ BEGIN
  -- Functions are installed after all migrations, and the trigger with them.
  IF EXISTS (SELECT FROM pg_trigger WHERE tgname = 'api_key_changed') THEN
    CREATE OR REPLACE TRIGGER api_key_changed
      AFTER DELETE OR UPDATE OF deleted_at, key_hash, spend_limit_picos, allowed_models, reports_cost
      ON accounts.api_keys FOR EACH ROW EXECUTE FUNCTION accounts.notify_credential_change('api_key');
  END IF;
END $$;
DROP VIEW wallet.key_spending;
CREATE VIEW wallet.key_spending AS
  SELECT b.api_key_id, b.account_id, b.limit_picos, b.spent_picos + coalesce(u.cost, 0) AS spent_picos
  FROM wallet.key_budgets b
  LEFT JOIN LATERAL (
    SELECT sum(cost_picos) AS cost FROM metering.unfolded_usage
    WHERE account_id = b.account_id AND api_key_id = b.api_key_id
  ) u ON true;
GRANT SELECT ON wallet.key_spending TO console, training;
ALTER TABLE wallet.key_budgets DROP period, DROP time_zone, DROP period_starts_on, DROP period_spent_picos;
DROP TABLE accounts.former_key_secrets;
ALTER TABLE accounts.api_keys DROP description, DROP tags, DROP disabled_at, DROP expires_at, DROP expiry_notice_days,
  DROP allowed_ips, DROP spend_period, DROP requests_per_minute, DROP tokens_per_minute, DROP max_concurrency;
ALTER TABLE accounts.accounts DROP time_zone;
`;

/** What an owner may say of a key: its end, its addresses, its pace, and a spending limit for a period. */
export class KeyFields0000000000055 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
