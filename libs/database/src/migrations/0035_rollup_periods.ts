import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';
import { KEY, settleFunction } from './0024_rollup_key_column';

const SUMS = ['quantity', 'tokens', 'cost_picos', 'cost_usd_picos'];
const COST_SUMS = ['tokens', 'cost_usd_picos'];
const USAGE_KEY = ['model', 'entrypoint', 'unit', 'api_key_id'];

const BOTH = 'console, router_cost';
const ROUTER_COST = 'router_cost';

const columns = (names: string[], type: string) => names.map((name) => `${name} ${type} NOT NULL`).join(', ');

/** A table of sums by the key, whose columns are in the order of the index. */
const table = (name: string, time: string, key: string[], sums: string[], readers: string) => `
CREATE TABLE metering.${name} (
  ${time} timestamptz NOT NULL, ${columns(
    key.filter((column) => column !== time),
    'text',
  )}, ${columns(sums, 'numeric(38, 0)')}, PRIMARY KEY (${key.join(', ')})
);
GRANT SELECT ON metering.${name} TO ${readers};`;

interface Step {
  into: string;
  /** The time of the source, as the column of the target. */
  time: string;
  name: string;
  key: string[];
  sums: string[];
  from: string;
}

/** Adds the sums of the source to the rows of the target. */
const add = ({ into, time, name, key, sums, from }: Step) => `
    INSERT INTO metering.${into} AS r (${name}, ${[...key, ...sums].join(', ')})
    SELECT ${time}, ${key.join(', ')}, ${sums.map((sum) => `sum(${sum})`).join(', ')}
    FROM ${from} GROUP BY 1, ${key.join(', ')}
    ON CONFLICT (${name}, ${key.join(', ')}) DO UPDATE SET ${sums.map((sum) => `${sum} = r.${sum} + excluded.${sum}`).join(', ')}`;

const DAY = "date_trunc('day', hour, 'UTC')";
const MONTH = "date_trunc('month', day, 'UTC')";
const HOURS = 'metering.hourly_rollup WHERE hour >= rolled AND hour < goal';
const ENDED_DAYS = "WHERE day >= date_trunc('day', rolled, 'UTC') AND day < date_trunc('day', goal, 'UTC')";

const usageKey = ['account_id', ...USAGE_KEY];
const accountKey = ['account_id', 'model', 'entrypoint'];
const siteKey = ['model', 'entrypoint'];
const usage = { key: usageKey, sums: SUMS };
const byAccount = { key: accountKey, sums: COST_SUMS };
const ofSite = { key: siteKey, sums: COST_SUMS };

const SETTLE = settleFunction({ key: KEY, byApiKey: true });
/** An hour that is rolled up gets no usage any more, even if the clock was set back. */
const SETTLE_AFTER_ROLLUP = SETTLE.replace(
  'at := clock_timestamp();',
  'at := greatest(clock_timestamp(), (SELECT rolled_until FROM metering.rollup_progress));',
);

const UP = `
-- Sums of whole days and months of UTC, and of hours of the whole site. A month holds its days that have ended.
${table('daily_rollup', 'day', ['account_id', 'day', ...USAGE_KEY], SUMS, BOTH)}
${table('monthly_rollup', 'month', ['account_id', 'month', ...USAGE_KEY], SUMS, BOTH)}
${table('account_daily_costs', 'day', ['day', ...accountKey], COST_SUMS, ROUTER_COST)}
${table('account_monthly_costs', 'month', ['month', ...accountKey], COST_SUMS, ROUTER_COST)}
${table('site_hourly_costs', 'hour', ['hour', ...siteKey], COST_SUMS, ROUTER_COST)}
${table('site_daily_costs', 'day', ['day', ...siteKey], COST_SUMS, ROUTER_COST)}
${table('site_monthly_costs', 'month', ['month', ...siteKey], COST_SUMS, ROUTER_COST)}
CREATE INDEX daily_rollup_day ON metering.daily_rollup (day);
CREATE INDEX monthly_rollup_month ON metering.monthly_rollup (month);

-- One row. The tables above hold all hours before rolled_until, an hour of UTC; null: none.
CREATE TABLE metering.rollup_progress (
  singleton boolean NOT NULL PRIMARY KEY DEFAULT true CONSTRAINT rollup_progress_singleton_check CHECK (singleton),
  rolled_until timestamptz
);
INSERT INTO metering.rollup_progress DEFAULT VALUES;
GRANT SELECT ON metering.rollup_progress TO console, router_cost, gateway;

-- Adds the next closed hours with usage to the tables above: at most p_hours, one day, and p_rows (or one hour, if that has more), so that a step takes seconds and adds to most days once. Returns whether to call again at once.
-- An hour is closed when each transaction that may have settled in it has ended. A settlement gets its transaction id before it
-- reads the clock. So the ids of all settlements of an hour are lower than an id that is given after its end, and the hour is
-- closed when no running transaction has a lower id than that one. No settlement waits for this. The further minute is for the
-- clock of a server that takes over.
CREATE FUNCTION metering.roll_up_hours(p_hours integer DEFAULT 24, p_rows integer DEFAULT 1000000) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
  closed timestamptz := date_trunc('hour', clock_timestamp() - interval '1 minute', 'UTC');
  own_id xid8;
  rolled timestamptz;
  first timestamptz;
  goal timestamptz;
BEGIN
  IF pg_current_xact_id_if_assigned() IS NOT NULL OR current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'roll_up_hours must run in a transaction of its own with isolation level read committed';
  END IF;
  -- A host that is at work keeps the row locked.
  SELECT rolled_until INTO rolled FROM metering.rollup_progress FOR UPDATE SKIP LOCKED;
  IF NOT FOUND OR rolled >= closed THEN
    RETURN false;
  END IF;
  own_id := pg_current_xact_id();
  -- Each statement has a new snapshot. Five seconds; after that the next run tries again.
  FOR attempt IN 1..100 LOOP
    EXIT WHEN pg_snapshot_xmin(pg_current_snapshot()) >= own_id;
    IF attempt = 100 THEN
      RETURN false;
    END IF;
    PERFORM pg_sleep(0.05);
  END LOOP;

  IF rolled IS NULL THEN
    SELECT date_trunc('day', min(hour), 'UTC') INTO rolled FROM metering.hourly_rollup;
    IF rolled IS NULL OR rolled >= closed THEN
      RETURN false;
    END IF;
  END IF;
  SELECT min(hour) INTO first FROM metering.hourly_rollup WHERE hour >= rolled;
  goal := least(closed, date_trunc('day', first, 'UTC') + interval '24 hours', first + greatest(p_hours, 1) * interval '1 hour');
  SELECT least(goal, min(h.hour) FILTER (WHERE h.hour > first AND h.total > p_rows)) INTO goal FROM (
    SELECT hour, sum(count(*)) OVER (ORDER BY hour) AS total FROM metering.hourly_rollup
    WHERE hour >= first AND hour < goal GROUP BY hour
  ) h;

  WITH hours AS MATERIALIZED (
    SELECT date_trunc('day', hour, 'UTC') AS day, account_id, model, entrypoint, unit, api_key_id, sum(quantity) AS quantity,
      sum(tokens) AS tokens, sum(cost_picos) AS cost_picos, sum(cost_usd_picos) AS cost_usd_picos
    FROM ${HOURS} GROUP BY 1, 2, 3, 4, 5, 6
  ), account_days AS (${add({ into: 'account_daily_costs', time: 'day', name: 'day', ...byAccount, from: 'hours' })}
  )${add({ into: 'daily_rollup', time: 'day', name: 'day', ...usage, from: 'hours' })};
  ${add({ into: 'site_hourly_costs', time: 'hour', name: 'hour', ...ofSite, from: HOURS })};
  ${add({ into: 'site_daily_costs', time: DAY, name: 'day', ...ofSite, from: HOURS.replace('hourly_rollup', 'site_hourly_costs') })};
  -- Days that have ended.
  IF date_trunc('day', rolled, 'UTC') < date_trunc('day', goal, 'UTC') THEN
    ${add({ into: 'monthly_rollup', time: MONTH, name: 'month', ...usage, from: `metering.daily_rollup ${ENDED_DAYS}` })};
    ${add({ into: 'account_monthly_costs', time: MONTH, name: 'month', ...byAccount, from: `metering.account_daily_costs ${ENDED_DAYS}` })};
    ${add({ into: 'site_monthly_costs', time: MONTH, name: 'month', ...ofSite, from: `metering.site_daily_costs ${ENDED_DAYS}` })};
  END IF;
  UPDATE metering.rollup_progress SET rolled_until = goal;
  RETURN goal < closed;
END $$;

-- Empties the tables above from the month of a time on, so that the hours are rolled up again. For an operator who had to
-- change hours. Reports are exact at every moment, because they read hours where there are no days.
CREATE FUNCTION metering.forget_rollups(p_from timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  first timestamptz := date_trunc('month', p_from, 'UTC');
BEGIN
  PERFORM FROM metering.rollup_progress FOR UPDATE;
  DELETE FROM metering.daily_rollup WHERE day >= first;
  DELETE FROM metering.monthly_rollup WHERE month >= first;
  DELETE FROM metering.account_daily_costs WHERE day >= first;
  DELETE FROM metering.account_monthly_costs WHERE month >= first;
  DELETE FROM metering.site_hourly_costs WHERE hour >= first;
  DELETE FROM metering.site_daily_costs WHERE day >= first;
  DELETE FROM metering.site_monthly_costs WHERE month >= first;
  UPDATE metering.rollup_progress SET rolled_until = nullif(first, '-infinity') WHERE rolled_until > first;
END $$;

REVOKE EXECUTE ON FUNCTION metering.roll_up_hours, metering.forget_rollups FROM PUBLIC;
GRANT EXECUTE ON FUNCTION metering.roll_up_hours TO gateway;
${SETTLE_AFTER_ROLLUP};
`;

const DOWN = `
-- Loses nothing: the hours are still there.
${SETTLE};
DROP FUNCTION metering.roll_up_hours, metering.forget_rollups;
DROP TABLE metering.rollup_progress, metering.daily_rollup, metering.monthly_rollup, metering.account_daily_costs,
  metering.account_monthly_costs, metering.site_hourly_costs, metering.site_daily_costs, metering.site_monthly_costs;
`;

/** Days and months of the rollup. The gateways' job fills them, also with what is there. */
export class RollupPeriods0000000000035 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
