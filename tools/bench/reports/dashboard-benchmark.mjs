import pg from 'pg';
import { figure, median, percentile, printRows, printVerdicts } from '../measuring/report.mjs';
import { loadBuilt } from '../setup/built-modules.mjs';
import { createDatabase, roleUrl } from '../setup/database.mjs';
import { accountsOf, fillMonth } from './filled-months.mjs';

/**
 * @import { BenchOptions, Workbench } from '../setup/workbench.mjs'
 * @import { TestPool } from '../../../libs/testing/src/index.ts'
 * @import { PeriodName } from '../../../apps/console/src/billing/dashboard/dashboard.dto.ts'
 *
 * @typedef {{ name: PeriodName, p50: number, p95: number, hoursOnly: number }} Timing in milliseconds
 */

/** @type {PeriodName[]} */
const PERIODS = ['today', '7d', '30d', '90d'];
/** The present hour and the one before it are not rolled up. */
const NOW = new Date('2024-01-31T19:30:00Z');
const ROLLED_UNTIL = '2024-01-31T18:00:00Z';
const END = '2024-01-31T20:00:00Z';
const RUNS = 20;
const WARM_UP_RUNS = 2;
const TARGET_ROWS = 10_000_000;
const TARGET_MS = 300;
const QUERY_TIMEOUT_MS = 20 * 60_000;

/** As the margins of calls that two upstreams have served. */
const FILL_MARGINS = `
  INSERT INTO metering.daily_margins
    (day, account_id, model, upstream, calls, uncosted_calls, revenue_picos, uncosted_revenue_picos, cost_picos)
  SELECT date_trunc('day', hour, 'UTC'), account_id, model, 'upstream-' || right(api_key_id, 1), count(*), 0, sum(cost_picos), 0, sum(cost_picos) / 2
  FROM metering.hourly_rollup WHERE hour < '${END}' GROUP BY 1, 2, 3, 4`;
const FROM_HOURS = `
  SELECT sum(cost_picos) AS revenue, count(DISTINCT account_id) AS accounts FROM metering.hourly_rollup WHERE hour >= $1 AND hour < $2`;

/** @param {() => Promise<unknown>} work @returns {Promise<number>} milliseconds */
async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** @template T @param {pg.Client} client @param {() => Promise<T>} work @returns {Promise<T>} */
async function transactionOf(client, work) {
  await client.query('BEGIN');
  const result = await work();
  await client.query('COMMIT');
  return result;
}

/** @param {pg.Client} owner @param {number} rows @param {AbortSignal} signal */
async function fill(owner, rows, signal) {
  const { sumNextHours } = loadBuilt('apps/console/src/billing/dashboard/dashboard.repository');
  await owner.query(`
    TRUNCATE billing.day_accounts, billing.day_figures, billing.day_margins, billing.day_models, billing.hour_models,
      metering.daily_margins`);
  /** @type {any} a client has the part of the Executor that is used here */
  const database = owner;
  await fillMonth(database, rows, signal);
  await owner.query(FILL_MARGINS);
  await owner.query(`UPDATE metering.rollup_progress SET rolled_until = '${ROLLED_UNTIL}'`);
  do signal.throwIfAborted();
  while (await transactionOf(owner, () => sumNextHours(database, NOW)));
  await owner.query('VACUUM ANALYZE');
}

/**
 * Measures each period, and compares its figures with the hours.
 * @param {TestPool} reader as the console
 * @param {string[]} faults
 * @param {AbortSignal} signal
 * @returns {Promise<Timing[]>}
 */
async function measure(reader, faults, signal) {
  const { DashboardService } = loadBuilt('apps/console/src/billing/dashboard/dashboard.service');
  const { ReadDatabase } = loadBuilt('libs/database/src');
  const { picosToDecimal, stringifyExact } = loadBuilt('libs/money/src');
  const service = new DashboardService(
    new ReadDatabase(reader, null),
    // Reads some rows for each upstream, however much usage there is.
    /** @type {any} */ ({ counts: () => Promise.resolve({ modelsWithout: [] }) }),
    /** @type {any} */ ({ currency: 'USD' }),
  );
  const timings = [];
  for (const name of PERIODS) {
    const times = [];
    for (let run = -WARM_UP_RUNS; run < RUNS; run++) {
      signal.throwIfAborted();
      const time = await timed(() => service.read(name, NOW));
      if (run >= 0) times.push(time);
    }
    times.sort((a, b) => a - b);
    const { current, margin } = await service.read(name, NOW);
    /** @type {{ revenue: bigint, accounts: bigint } | undefined} */
    let hours;
    const hoursOnly = await timed(async () => {
      hours = (await reader.query(FROM_HOURS, [current.from, current.to])).rows[0];
    });
    const shown = [current.revenue, margin.revenue, current.active_accounts].map((value) =>
      stringifyExact(value),
    );
    const revenue = picosToDecimal(hours?.revenue ?? 0n);
    if (shown.join() !== [revenue, revenue, hours?.accounts].join())
      faults.push(`${name}: ${shown.join()} differs from the hours: ${revenue}, ${hours?.accounts}`);
    timings.push({ name, p50: median(times), p95: percentile(times, 0.95), hoursOnly });
  }
  return timings;
}

/**
 * The dashboard of the staff over a month of millions of rows, beside sums of the hours.
 * @param {Workbench} bench
 * @param {BenchOptions} options
 * @returns {Promise<string[]>} faults
 */
export async function benchDashboard(bench, options) {
  const database = await createDatabase(bench, 'dashboard_bench');
  const url = new URL(bench.postgresUrl);
  url.pathname = '/dashboard_bench';
  // Without the time limits of a pool, which the largest fill exceeds.
  const owner = new pg.Client({ connectionString: url.href });
  await owner.connect();
  bench.defer(() => owner.end());
  const { TestPool } = loadBuilt('libs/testing/src');
  const reader = TestPool.of({
    url: `${await roleUrl(database, 'console')}?query_timeout=${QUERY_TIMEOUT_MS}&statement_timeout=${QUERY_TIMEOUT_MS}`,
    applicationName: 'bench dashboard',
    size: 1,
  });
  bench.defer(() => reader.end());
  /** @type {string[]} */
  const faults = [];
  for (const rows of options.rows) {
    const filledMs = await timed(() => fill(owner, rows, bench.signal));
    const timings = await measure(reader, faults, bench.signal);
    printRows(`${rows / 1_000_000} million rows, ${accountsOf(rows)} accounts`, [
      ['', 'p50 ms', 'p95 ms', 'hours only ms'],
      ...timings.map(({ name, p50, p95, hoursOnly }) => [
        name,
        figure(p50, 1),
        figure(p95, 1),
        figure(hoursOnly, 0),
      ]),
    ]);
    printRows('Time', [['fill', `${figure(filledMs / 1000, 1)} s`]]);
    if (rows === TARGET_ROWS)
      printVerdicts([
        {
          what: 'Slowest p50 at 10 million rows',
          value: Math.max(...timings.map(({ p50 }) => p50)),
          unit: ' ms',
          atMost: TARGET_MS,
        },
      ]);
  }
  return faults;
}
