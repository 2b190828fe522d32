import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';
import { NOT_BEFORE_ROLLUP, settle } from './0035_rollup_periods';

const UP = `
-- Sums of the events of one batch that wait to be folded into hourly_rollup, ledger, wallets and key budgets, in the shape of
-- hourly_rollup. Their money has left the leases and still counts as set aside in wallets and keys. The table is small, and each
-- row lives about a second.
CREATE TABLE metering.unfolded_usage (
  account_id text,
  id bigint GENERATED ALWAYS AS IDENTITY (CACHE 32),
  hour timestamptz NOT NULL,
  model text NOT NULL,
  entrypoint text NOT NULL,
  unit text NOT NULL,
  api_key_id text NOT NULL,
  quantity numeric(38, 0) NOT NULL,
  tokens numeric(38, 0) NOT NULL,
  cost_picos numeric(38, 0) NOT NULL,
  cost_usd_picos numeric(38, 0) NOT NULL,
  calls bigint NOT NULL,
  -- The part of the cost that was set aside from the limit of the key.
  limited_picos numeric(38, 0) NOT NULL,
  appended_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Set aside until then, because the account's rows could not be folded.
  retry_at timestamptz,
  CONSTRAINT unfolded_usage_pkey PRIMARY KEY (account_id, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 1000000000);
GRANT SELECT ON metering.unfolded_usage TO console, router_cost;

-- What reports read: the rollup and what waits for it.
CREATE VIEW metering.hourly_usage AS
  SELECT account_id, hour, model, entrypoint, unit, api_key_id, quantity, tokens, cost_picos, cost_usd_picos, calls
  FROM metering.hourly_rollup
  UNION ALL
  SELECT account_id, hour, model, entrypoint, unit, api_key_id, quantity, tokens, cost_picos, cost_usd_picos, calls
  FROM metering.unfolded_usage;
GRANT SELECT ON metering.hourly_usage TO console, router_cost;

-- The wallets as they will be when everything that waits is folded.
CREATE VIEW wallet.balances AS
  SELECT w.account_id, w.currency, w.balance_picos - coalesce(u.cost, 0) AS balance_picos,
    w.leased_picos - coalesce(u.cost, 0) AS leased_picos, w.low_balance_notice_due, w.low_balance_threshold_picos,
    w.deduction_waits_until
  FROM wallet.wallets w
  LEFT JOIN LATERAL (
    SELECT sum(cost_picos) AS cost FROM metering.unfolded_usage WHERE account_id = w.account_id
  ) u ON true;
GRANT SELECT ON wallet.balances TO console, training;

-- The budgets of the keys as they will be then.
CREATE VIEW wallet.key_spending AS
  SELECT b.api_key_id, b.account_id, b.limit_picos, b.spent_picos + coalesce(u.cost, 0) AS spent_picos
  FROM wallet.key_budgets b
  LEFT JOIN LATERAL (
    SELECT sum(cost_picos) AS cost FROM metering.unfolded_usage
    WHERE account_id = b.account_id AND api_key_id = b.api_key_id
  ) u ON true;
GRANT SELECT ON wallet.key_spending TO console, training;
`;

const DOWN = `
-- Loses nothing if the gateways of this version have stopped: what waits is folded first. Until the functions of the former version are
-- installed, its gateways roll no hours up and serve no keys with a limit, and training records no usage.
DO $$
BEGIN
  IF EXISTS (SELECT FROM metering.unfolded_usage) THEN
    WHILE (SELECT folded FROM metering.fold('0', 1000)) > 0 LOOP
    END LOOP;
  END IF;
  IF EXISTS (SELECT FROM metering.unfolded_usage) THEN
    RAISE EXCEPTION 'usage waits that cannot be folded: see the runbook UsageSetAside';
  END IF;
END $$;
DROP FUNCTION IF EXISTS metering.append, metering.insert_events, metering.fold, metering.fold_account, metering.fold_accounts;
${settle(NOT_BEFORE_ROLLUP)};
ALTER FUNCTION metering.settle(text, jsonb) SET plan_cache_mode = force_generic_plan;
DROP VIEW metering.hourly_usage, wallet.balances, wallet.key_spending;
DROP TABLE metering.unfolded_usage;
`;

/** Settlement appends; rollup, ledger and wallets follow by folding. */
export class FoldedUsage0000000000049 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
