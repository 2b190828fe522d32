import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';
import { KEY, settleFunction } from './0024_rollup_key_column';

/** The next migration calls the function and drops it. */
export const RECOUNT_FUNCTION = `
-- Counts the events of whole hours again, by API key; of one account, or of all (null). The lock of the wallet keeps settlements
-- of the account out.
CREATE FUNCTION metering.recount_rollup(p_from timestamptz, p_to timestamptz, p_account text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  PERFORM FROM wallet.wallets WHERE account_id = p_account FOR UPDATE;
  DELETE FROM metering.hourly_rollup
  WHERE hour >= p_from AND hour < p_to AND (p_account IS NULL OR account_id = p_account);
  INSERT INTO metering.hourly_rollup
    (account_id, hour, model, entrypoint, unit, api_key_id, quantity, tokens, cost_picos, cost_usd_picos)
  SELECT e.account_id, date_trunc('hour', e.occurred_at, 'UTC'), e.model, e.entrypoint, l.unit, coalesce(e.api_key_id, ''),
    sum(l.quantity), sum(l.tokens), sum(l.cost_picos), sum(l.cost_usd_picos)
  FROM metering.usage_events e
  CROSS JOIN jsonb_to_recordset(e.lines)
    AS l(unit text, quantity numeric, tokens numeric, cost_picos numeric, cost_usd_picos numeric)
  WHERE e.occurred_at >= p_from AND e.occurred_at < p_to AND (p_account IS NULL OR e.account_id = p_account)
  GROUP BY 1, 2, 3, 4, 5, 6;
END $$;
REVOKE EXECUTE ON FUNCTION metering.recount_rollup FROM PUBLIC;
`;

const UP = `
-- Each settlement begins with this table: those that run the body from before the last migration end first.
LOCK TABLE metering.settlements IN SHARE ROW EXCLUSIVE MODE;
ALTER TABLE metering.hourly_rollup DROP CONSTRAINT hourly_rollup_pkey;
ALTER TABLE metering.hourly_rollup ADD CONSTRAINT hourly_rollup_pkey PRIMARY KEY USING INDEX hourly_rollup_by_key;
${settleFunction({ key: KEY, byApiKey: true })};

${RECOUNT_FUNCTION}`;

const DOWN = `
-- Loses the keys in the rollup; the events keep them.
DROP FUNCTION metering.recount_rollup;
CREATE TEMPORARY TABLE merged_rollup ON COMMIT DROP AS
SELECT account_id, hour, model, entrypoint, unit, sum(quantity) AS quantity, sum(tokens) AS tokens,
  sum(cost_picos) AS cost_picos, sum(cost_usd_picos) AS cost_usd_picos
FROM metering.hourly_rollup GROUP BY account_id, hour, model, entrypoint, unit;
DELETE FROM metering.hourly_rollup;
INSERT INTO metering.hourly_rollup
  (account_id, hour, model, entrypoint, unit, quantity, tokens, cost_picos, cost_usd_picos)
SELECT account_id, hour, model, entrypoint, unit, quantity, tokens, cost_picos, cost_usd_picos FROM merged_rollup;
ALTER TABLE metering.hourly_rollup DROP CONSTRAINT hourly_rollup_pkey;
ALTER TABLE metering.hourly_rollup ADD CONSTRAINT hourly_rollup_pkey
  PRIMARY KEY (account_id, hour, model, entrypoint, unit);
CREATE UNIQUE INDEX hourly_rollup_by_key ON metering.hourly_rollup (${KEY});
${settleFunction({ key: KEY, byApiKey: false })};
`;

export class RollupByKey0000000000025 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
