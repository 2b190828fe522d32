import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
CREATE OR REPLACE FUNCTION wallet.period_start(p_period text, p_at timestamptz, p_zone text)
RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT date_trunc(nullif(p_period, 'total'), p_at AT TIME ZONE p_zone)::date
$$;
CREATE OR REPLACE FUNCTION wallet.period_end(p_period text, p_starts_on date, p_zone text)
RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT (p_starts_on + CASE p_period WHEN 'day' THEN interval '1 day' WHEN 'week' THEN interval '7 days' ELSE interval '1 month' END)
    AT TIME ZONE p_zone
$$;
CREATE OR REPLACE VIEW wallet.key_spending AS
  SELECT b.api_key_id, b.account_id, b.limit_picos, b.spent_picos + coalesce(u.cost, 0) AS spent_picos,
    -- What counts against the limit now.
    CASE WHEN b.period = 'total' THEN b.spent_picos + coalesce(u.cost, 0)
      ELSE CASE WHEN b.period_starts_on = p.starts_on THEN b.period_spent_picos ELSE 0 END + coalesce(u.cost_of_period, 0)
    END AS counted_picos,
    -- When the count begins anew; null for a limit in all.
    wallet.period_end(b.period, p.starts_on, b.time_zone) AS period_ends_at
  FROM wallet.key_budgets b
  CROSS JOIN LATERAL (
    SELECT wallet.period_start(b.period, clock_timestamp(), b.time_zone) AS starts_on
  ) p
  LEFT JOIN LATERAL (
    SELECT sum(cost_picos) AS cost, sum(cost_picos) FILTER (
      WHERE wallet.period_start(b.period, appended_at, b.time_zone) = p.starts_on
    ) AS cost_of_period
    FROM metering.unfolded_usage
    WHERE account_id = b.account_id AND api_key_id = b.api_key_id
  ) u ON true;
`;

const DOWN = `
-- Loses nothing. The functions stay: others of this version call them until those of the former version are installed.
CREATE OR REPLACE VIEW wallet.key_spending AS
  SELECT b.api_key_id, b.account_id, b.limit_picos, b.spent_picos + coalesce(u.cost, 0) AS spent_picos,
    CASE WHEN b.period = 'total' THEN b.spent_picos + coalesce(u.cost, 0)
      ELSE CASE WHEN b.period_starts_on = p.starts_on THEN b.period_spent_picos ELSE 0 END + coalesce(u.cost_of_period, 0)
    END AS counted_picos,
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

/** When the periods of spending limits begin and end is said by two functions, which also statements of services call. */
export class PeriodFunctions0000000000082 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
