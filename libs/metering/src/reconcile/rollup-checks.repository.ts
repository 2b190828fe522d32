import { type Check } from './check';

const SUMS = ['quantity', 'tokens', 'cost_picos', 'cost_usd_picos'];
const COST_SUMS = ['tokens', 'cost_usd_picos'];
const USAGE_KEY = ['account_id', 'model', 'entrypoint', 'unit', 'api_key_id'];
const ACCOUNT_KEY = ['account_id', 'model', 'entrypoint'];
const SITE_KEY = ['model', 'entrypoint'];

interface RolledTable {
  table: string;
  time: 'hour' | 'day' | 'month';
  key: string[];
  sums: string[];
}

const ROLLED_TABLES: RolledTable[] = [
  { table: 'daily_rollup', time: 'day', key: USAGE_KEY, sums: SUMS },
  { table: 'monthly_rollup', time: 'month', key: USAGE_KEY, sums: SUMS },
  { table: 'account_daily_costs', time: 'day', key: ACCOUNT_KEY, sums: COST_SUMS },
  { table: 'account_monthly_costs', time: 'month', key: ACCOUNT_KEY, sums: COST_SUMS },
  { table: 'site_hourly_costs', time: 'hour', key: SITE_KEY, sums: COST_SUMS },
  { table: 'site_daily_costs', time: 'day', key: SITE_KEY, sums: COST_SUMS },
  { table: 'site_monthly_costs', time: 'month', key: SITE_KEY, sums: COST_SUMS },
];

/** Compares the table with the hours that are rolled up; a month with the hours of its days that have ended. */
function sumCheck({ table, time, key, sums }: RolledTable): Check {
  const all = [time, ...key].join(', ');
  const totals = sums.map((sum) => `sum(${sum}) AS ${sum}`).join(', ');
  const of = (source: string) => sums.map((sum) => `${source}.${sum}`).join(', ');
  const shown = ['rolled', 'hours'].flatMap((source) =>
    sums.map((sum) => `${source}.${sum}::text AS ${source}_${sum}`),
  );
  const end = time === 'month' ? "date_trunc('day', rolled_until, 'UTC')" : 'rolled_until';
  return {
    name: `${table.replaceAll('_', ' ')} = sums of the hourly rollup`,
    sql: `WITH hours AS (
        SELECT date_trunc('${time}', hour, 'UTC') AS ${time}, ${key.join(', ')}, ${totals}
        FROM metering.hourly_rollup WHERE hour < (SELECT ${end} FROM metering.rollup_progress) GROUP BY 1, ${key.join(', ')}
      )
      SELECT ${all}, ${shown.join(', ')}
      FROM metering.${table} rolled FULL JOIN hours USING (${all})
      WHERE (${of('rolled')}) IS DISTINCT FROM (${of('hours')})`,
  };
}

/** Days and months are what the hours add up to, so that reports show the same sums whatever they read. */
export const ROLLUP_CHECKS: Check[] = ROLLED_TABLES.map(sumCheck);
