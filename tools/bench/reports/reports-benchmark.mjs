import pg from 'pg';
import { figure, median, percentile, printRows, printVerdicts } from '../measuring/report.mjs';
import { loadBuilt } from '../setup/built-modules.mjs';
import { createDatabase, roleUrl } from '../setup/database.mjs';
import { accountsOf, fillMonth, MONTH, readFromHours } from './filled-months.mjs';

/**
 * @import { Workbench } from '../setup/workbench.mjs'
 * @import { BenchOptions } from '../setup/workbench.mjs'
 * @import { TestPool } from '../../../libs/testing/src/index.ts'
 * @import { CostReport } from '../../../apps/router-cost/src/cost/cost.repository.ts'
 * @import { GroupKey } from '../../../apps/router-cost/src/cost/cost.dto.ts'
 *
 * @typedef {{ p50: number, p95: number, hoursOnly: number }} Timing in milliseconds
 * @typedef {{ rows: number, filledMs: number, rolledMs: number, bytes: Record<string, bigint>, whole: Timing[], current: Timing[] }} Size
 */

/** @type {GroupKey[][]} */
const GROUPINGS = [
  [],
  ['user'],
  ['model'],
  ['entrypoint'],
  ['user', 'model'],
  ['user', 'model', 'entrypoint'],
  ['api_key'],
];
/** @param {GroupKey[]} names */
const nameOf = (names) => names.join('+') || 'total';

/** The watermark and the end of the report that stand for a month that is still running: two hours are not rolled up. */
const CURRENT = {
  day: Date.parse('2024-01-31T00:00:00Z'),
  rolledUntil: Date.parse('2024-01-31T18:00:00Z'),
  to: '2024-01-31T20:00:00.000000Z',
};
/** Of a report from days and months. Reports from hours only take seconds and run once. */
const RUNS = 20;
const WARM_UP_RUNS = 2;
/** A first page and one row more, as the service reads it. */
const LIMIT = 51;
/** The targets for the months of these numbers of rows. */
const TARGETS_MS = new Map([
  [10_000_000, 50],
  [100_000_000, 200],
]);

/** Of a report from the hours of the largest month. */
const QUERY_TIMEOUT_MS = 20 * 60_000;

/** @param {() => Promise<unknown>} work @returns {Promise<number>} milliseconds */
async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Measures each grouping, and compares it with the report from hours only.
 * @param {TestPool} database as router-cost
 * @param {string} to end of the report
 * @param {string[]} faults
 * @param {AbortSignal} signal
 * @returns {Promise<Timing[]>} in the order of GROUPINGS
 */
async function measureReports(database, to, faults, signal) {
  const { readCostGroups } = loadBuilt('apps/router-cost/src/cost/cost.repository');
  const timings = [];
  for (const names of GROUPINGS) {
    /** @type {CostReport} */
    const report = { from: MONTH.from, to, accountId: null, names, buckets: null, after: null, limit: LIMIT };
    const times = [];
    for (let run = -WARM_UP_RUNS; run < RUNS; run++) {
      signal.throwIfAborted();
      const time = await timed(() => readCostGroups(database, report));
      if (run >= 0) times.push(time);
    }
    times.sort((a, b) => a - b);
    /** @type {Awaited<ReturnType<typeof readFromHours>>} */
    let expected = [];
    const hoursOnly = await timed(async () => (expected = await readFromHours(database, report)));
    const read = await readCostGroups(database, report);
    const isEqual =
      read.length === expected.length &&
      read.every(({ keys, costUsdPicos, tokens }, index) => {
        const other = expected[index];
        return (
          keys.join() === other?.keys.join() && costUsdPicos === other.costUsdPicos && tokens === other.tokens
        );
      });
    if (!isEqual) faults.push(`${nameOf(names)} to ${to}: differs from the report from hours only`);
    timings.push({ p50: median(times), p95: percentile(times, 0.95), hoursOnly });
  }
  return timings;
}

const BYTES = `
  SELECT relname AS name, pg_total_relation_size(oid) AS bytes FROM pg_class
  WHERE relnamespace = 'metering'::regnamespace AND relkind = 'r' AND relname ~ '_rollup$|_costs$' ORDER BY bytes DESC`;

/**
 * @param {{ owner: pg.Client, reader: TestPool, rows: number, faults: string[], signal: AbortSignal }} run
 * @returns {Promise<Size>}
 */
async function measureSize({ owner, reader, rows, faults, signal }) {
  /** @type {any} a client has the part of the Executor that is used here */
  const database = owner;
  const filledMs = await timed(() => fillMonth(database, rows, signal));
  /** @param {number} until @param {number} [hours] most of a step */
  const rollUp = async (until, hours = 24) => {
    for (let isLeft = true; isLeft;) {
      signal.throwIfAborted();
      const step = await owner.query('SELECT metering.roll_up_hours($1) AS left', [hours]);
      const progress = await owner.query('SELECT rolled_until FROM metering.rollup_progress');
      isLeft = step.rows[0].left && progress.rows[0].rolled_until.getTime() < until;
    }
  };
  let rolledMs = await timed(() => rollUp(CURRENT.day));
  rolledMs += await timed(() => rollUp(CURRENT.rolledUntil, 1));
  // As autovacuum does.
  await owner.query('VACUUM ANALYZE');
  const current = await measureReports(reader, CURRENT.to, faults, signal);
  rolledMs += await timed(() => rollUp(Infinity));
  await owner.query('VACUUM ANALYZE');
  const whole = await measureReports(reader, MONTH.to, faults, signal);
  const { rows: sizes } = await owner.query(BYTES);
  const bytes = Object.fromEntries(sizes.map(({ name, bytes: size }) => [name, BigInt(size)]));
  return { rows, filledMs, rolledMs, bytes, whole, current };
}

/** @param {number} rows */
const million = (rows) => `${rows / 1_000_000} million`;
const BYTES_PER_MB = 1_000_000n;

/** @param {Size} size */
function printSize({ rows, filledMs, rolledMs, bytes, whole, current }) {
  /** @param {Timing[]} timings @returns {string[][]} */
  const table = (timings) => [
    ['', 'p50 ms', 'p95 ms', 'hours only ms', 'times faster'],
    ...timings.map(({ p50, p95, hoursOnly }, index) => [
      nameOf(GROUPINGS[index] ?? []),
      figure(p50, 1),
      figure(p95, 1),
      figure(hoursOnly, 0),
      figure(hoursOnly / p50, 0),
    ]),
  ];
  printRows(`${million(rows)} rows, ${accountsOf(rows)} accounts: the whole month`, table(whole));
  printRows(`${million(rows)} rows: the same month while it runs, two hours not rolled up`, table(current));
  printRows(
    'Disk',
    Object.entries(bytes).map(([name, size]) => [name, `${size / BYTES_PER_MB} MB`]),
  );
  printRows('Time', [
    ['fill', `${figure(filledMs / 1000, 1)} s`],
    ['roll up', `${figure(rolledMs / 1000, 1)} s`],
  ]);
}

/** @param {Size[]} sizes */
function printGrowth(sizes) {
  printRows('Growth: p50 ms of the whole month', [
    ['', ...sizes.map(({ rows }) => million(rows))],
    ...GROUPINGS.map((names, index) => [
      nameOf(names),
      ...sizes.map(({ whole }) => figure(whole[index]?.p50 ?? NaN, 1)),
    ]),
  ]);
  printVerdicts(
    sizes.flatMap(({ rows, whole }) => {
      const atMost = TARGETS_MS.get(rows);
      const slowest = Math.max(...whole.map(({ p50 }) => p50));
      return atMost === undefined
        ? []
        : [{ what: `Slowest p50 at ${million(rows)} rows`, value: slowest, unit: ' ms', atMost }];
    }),
  );
}

/**
 * Cost reports of all accounts over a month, from days and months and from hours only.
 * @param {Workbench} bench
 * @param {BenchOptions} options
 * @returns {Promise<string[]>} faults
 */
export async function benchReports(bench, options) {
  const database = await createDatabase(bench, 'reports_bench');
  const url = new URL(bench.postgresUrl);
  url.pathname = '/reports_bench';
  // Without the time limits of a pool, which the largest fill exceeds.
  const owner = new pg.Client({ connectionString: url.href });
  await owner.connect();
  bench.defer(() => owner.end());
  const { TestPool } = loadBuilt('libs/testing/src');
  const readerUrl = await roleUrl(database, 'router_cost');
  const reader = TestPool.of({
    url: `${readerUrl}?query_timeout=${QUERY_TIMEOUT_MS}&statement_timeout=${QUERY_TIMEOUT_MS}`,
    applicationName: 'bench reports',
    size: 1,
  });
  bench.defer(() => reader.end());
  /** @type {string[]} */
  const faults = [];
  const sizes = [];
  for (const rows of options.rows) {
    const size = await measureSize({ owner, reader, rows, faults, signal: bench.signal });
    printSize(size);
    sizes.push(size);
  }
  printGrowth(sizes);
  return faults;
}
