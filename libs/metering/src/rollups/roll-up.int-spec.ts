import {
  createTestDatabase,
  insertAccount,
  publishPrices,
  type TestDatabase,
  TestPool,
  waitFor,
  waitForLock,
} from '@inference/testing';
import { ROLLUP_CHECKS } from '../reconcile/checks.repository';
import {
  createPartitions,
  insertPastEvents,
  type PastEvent,
  rolledUntil,
  rollUp,
  untilOthersEnd,
} from './usage-history.fixture';

const TABLES = [
  ...['daily_rollup', 'monthly_rollup', 'account_daily_costs', 'account_monthly_costs'],
  ...['site_hourly_costs', 'site_daily_costs', 'site_monthly_costs'],
];
const MILLIS_PER_HOUR = 3_600_000;
const FIRST_HOUR = Date.parse('2020-01-30T20:00:00Z');

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
  await createPartitions(database.pool, '2020-01-01', '2020-03-01');
});
afterEach(() => database.drop());

/** An event in each of some hours, beginning before the end of a month. */
const history = (hours: number): PastEvent[] =>
  Array.from({ length: hours }, (_, hour) => ({
    at: new Date(FIRST_HOUR + hour * MILLIS_PER_HOUR).toISOString(),
    account: `a${hour % 3}`,
    key: hour % 2 ? 'key' : null,
    model: `m${hour % 5}`,
    entrypoint: 'gateway',
    amount: 3n ** BigInt(hour % 40),
  }));

async function differences(): Promise<unknown[]> {
  const found = [];
  for (const { sql } of ROLLUP_CHECKS) found.push(...(await database.pool.query(sql)).rows);
  return found;
}

/** All rows of all tables, in one order. */
async function contents(): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const table of TABLES)
    found[table] = (
      await database.pool.query(`SELECT t::text FROM metering.${table} t ORDER BY t::text COLLATE "C"`)
    ).rows;
  return found;
}

/** The cost of all hours in each of the tables by day and by hour. */
const totals = async () =>
  (
    await database.pool.query<Record<string, bigint>>(`
      SELECT (SELECT sum(cost_usd_picos) FROM metering.hourly_rollup) AS hours,
        (SELECT sum(cost_usd_picos) FROM metering.daily_rollup) AS days,
        (SELECT sum(cost_usd_picos) FROM metering.account_daily_costs) AS account_days,
        (SELECT sum(cost_usd_picos) FROM metering.site_hourly_costs) AS site_hours`)
  ).rows[0]!;

/** The job's function as if its clock were ahead, so that the current hour has ended for it. */
async function setClockAhead(): Promise<void> {
  await database.pool.query(`
    DO $$ BEGIN
      EXECUTE replace(pg_get_functiondef('metering.roll_up_hours'::regproc), 'clock_timestamp()',
        $x$(clock_timestamp() + interval '61 minutes')$x$);
    END $$`);
}

/** An account, and the settlement of a request of it. */
async function settlement(): Promise<{ accountId: string; settle: () => Promise<unknown> }> {
  const list = await publishPrices(database.pool, [
    { slug: 'm', unit: 'per_million_tokens', ratePicos: 10n },
  ]);
  const { accountId } = await insertAccount(database.pool, { balancePicos: 1_000n });
  const line = { unit: 'per_million_tokens', quantity: 7, tokens: 7, cost_picos: 70, cost_usd_picos: 70 };
  const event = {
    ...{ request_id: 'r', lease_id: null, limited: false, started_at: new Date(), account_id: accountId },
    ...{
      api_key_id: null,
      model: 'm',
      entrypoint: 'gateway',
      endpoint: 'e',
      upstream: 'u',
      outcome: 'completed',
    },
    ...{
      input_tokens: 7,
      output_tokens: 0,
      estimated: false,
      price_list_id: String(list),
      usd_per_unit: '1',
    },
    ...{ cost_picos: 70, cost_usd_picos: 70, lines: [line] },
  };
  const settle = () => database.pool.query("SELECT metering.settle('s', $1)", [JSON.stringify([event])]);
  return { accountId, settle };
}

describe('metering.roll_up_hours', () => {
  it('rolls up what is there, from the first hour to the last closed one, in steps', async () => {
    await insertPastEvents(database.pool, history(200));
    expect(await rollUp(database.pool, 1)).toEqual(new Date('2020-01-31T00:00:00Z'));
    await database.pool.query('SELECT metering.roll_up_hours(5)');
    expect(await rolledUntil(database.pool)).toEqual(new Date('2020-01-31T05:00:00Z'));
    expect(await differences()).toEqual([]);
    const until = (await rollUp(database.pool))!;
    expect(until.getTime() % MILLIS_PER_HOUR).toBe(0);
    expect(Date.now() - until.getTime()).toBeLessThan(2 * MILLIS_PER_HOUR);
    expect(await differences()).toEqual([]);
    const { hours, ...others } = await totals();
    expect(Object.values(others)).toEqual([hours, hours, hours]);
  });

  it('does nothing without usage, and nothing twice', async () => {
    expect(await rollUp(database.pool)).toBeNull();
    await insertPastEvents(database.pool, history(30));
    await rollUp(database.pool);
    const first = await contents();
    await rollUp(database.pool);
    expect(await contents()).toEqual(first);
  });

  it('rolls each hour up once when several hosts do it at once', async () => {
    await insertPastEvents(database.pool, history(400));
    const hosts = [1, 2, 3, 4].map((host) =>
      TestPool.of({ url: database.urlFor('gateway'), applicationName: `host ${host}`, size: 1 }),
    );
    const stepsOf = async (host: TestPool) => {
      let steps = 0;
      // A host that finds another one at work has no more to do until its next run.
      for (let idle = 0; idle < 20;) {
        const { rows } = await host.query<{ left: boolean }>('SELECT metering.roll_up_hours() AS left');
        if (rows[0]!.left) steps++;
        else idle++;
      }
      return steps;
    };
    const steps = await Promise.all(hosts.map(stepsOf));
    await Promise.all(hosts.map((host) => host.end()));
    await rollUp(database.pool);
    expect(steps.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
    expect(await differences()).toEqual([]);
    const { hours, ...others } = await totals();
    expect(Object.values(others)).toEqual([hours, hours, hours]);
  });

  it('goes on from the last whole step when its process was killed', async () => {
    await insertPastEvents(database.pool, history(100));
    const before = await rollUp(database.pool, 3);
    const killed = TestPool.of({ url: database.urlFor('gateway'), applicationName: 'killed', size: 1 });
    const connection = await killed.connect();
    connection.on('error', () => undefined);
    await connection.query('BEGIN');
    await connection.query('SELECT metering.roll_up_hours()');
    // Meanwhile others do nothing.
    expect(await rollUp(database.pool)).toEqual(before);
    await database.pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'killed'",
    );
    connection.release();
    await killed.end();
    await waitFor(async () => {
      const { rowCount } = await database.pool.query(
        "SELECT FROM pg_stat_activity WHERE application_name = 'killed'",
      );
      return rowCount === 0;
    });
    expect(await rolledUntil(database.pool)).toEqual(before);
    expect(await differences()).toEqual([]);
    await rollUp(database.pool);
    expect(await differences()).toEqual([]);
    const { hours, days } = await totals();
    expect(days).toBe(hours);
  });

  it('waits for a settlement that began before the end of the hour', async () => {
    const { accountId, settle } = await settlement();
    await insertPastEvents(database.pool, history(5));
    await setClockAhead();
    const wallet = await database.pool.connect();
    await wallet.query('BEGIN');
    await wallet.query('SELECT FROM wallet.wallets WHERE account_id = $1 FOR UPDATE', [accountId]);
    const settled = settle();
    await waitForLock(database.pool);

    // The job gives up, because the settlement has not read the clock yet.
    expect(await rollUp(database.pool)).toBeNull();
    const rolling = rollUp(database.pool);
    await wallet.query('COMMIT');
    wallet.release();
    await settled;
    const until = (await rolling) ?? (await rollUp(database.pool));

    const { rows } = await database.pool.query<{ hour: Date }>(
      'SELECT max(hour) AS hour FROM metering.hourly_rollup',
    );
    expect(until!.getTime()).toBeGreaterThan(rows[0]!.hour.getTime());
    expect(await differences()).toEqual([]);
    const { hours, days } = await totals();
    expect(days).toBe(hours);
  });

  it('is not missed by a settlement whose clock was set back', async () => {
    const { settle } = await settlement();
    // Not the next hour, which may begin meanwhile.
    const watermark = new Date(Math.floor(Date.now() / MILLIS_PER_HOUR + 2) * MILLIS_PER_HOUR);
    await database.pool.query('UPDATE metering.rollup_progress SET rolled_until = $1', [watermark]);
    await settle();
    const { rows } = await database.pool.query('SELECT hour FROM metering.hourly_rollup');
    expect(rows).toEqual([{ hour: watermark }]);
    expect((await database.pool.query('SELECT occurred_at FROM metering.usage_events')).rows).toEqual([
      { occurred_at: watermark },
    ]);
  });

  it('takes smaller steps where hours have very many rows', async () => {
    const [first, second] = history(2);
    const atOnce = { ...second!, amount: 1n };
    await insertPastEvents(database.pool, [
      first!,
      ...Array.from({ length: 3 }, (_, other) => ({ ...atOnce, account: `b${other}` })),
      ...history(4).slice(2),
    ]);
    const until = async (hours: number, rows: number) => {
      await untilOthersEnd(database.pool);
      await database.pool.query('SELECT metering.roll_up_hours($1, $2)', [hours, rows]);
      return (await rolledUntil(database.pool))!.getTime();
    };
    // The second hour has three rows and would make the step larger than three.
    expect(await until(24, 3)).toBe(FIRST_HOUR + MILLIS_PER_HOUR);
    // One hour at least, also if it has more rows.
    expect(await until(24, 2)).toBe(FIRST_HOUR + 2 * MILLIS_PER_HOUR);
    expect(await until(0, 3)).toBe(FIRST_HOUR + 3 * MILLIS_PER_HOUR);
  });

  it('leaves the current hour alone', async () => {
    const now = new Date().toISOString();
    await insertPastEvents(database.pool, [...history(3), { ...history(1)[0]!, at: now, amount: 5n }]);
    const until = await rollUp(database.pool);
    expect(until!.getTime()).toBeLessThanOrEqual(Date.parse(now));
    const { hours, days } = await totals();
    expect(hours! - days!).toBe(5n * 9n);
  });

  it('refuses a transaction whose id or snapshot is older than its clock', async () => {
    const message = 'roll_up_hours must run in a transaction of its own';
    await database.pool.transaction(async (transaction) => {
      await transaction.query('SELECT pg_current_xact_id()');
      await expect(transaction.query('SELECT metering.roll_up_hours()')).rejects.toThrow(message);
      await transaction.query('ROLLBACK; BEGIN ISOLATION LEVEL REPEATABLE READ');
      await expect(transaction.query('SELECT metering.roll_up_hours()')).rejects.toThrow(message);
      await transaction.query('ROLLBACK; BEGIN');
    });
  });

  it('is for gateways only, and forgetting for operators', async () => {
    for (const [role, statement] of [
      ['router_cost', 'SELECT metering.roll_up_hours()'],
      ['gateway', 'SELECT metering.forget_rollups(now())'],
    ] as const) {
      const pool = TestPool.of({ url: database.urlFor(role), applicationName: role, size: 1 });
      await expect(pool.query(statement)).rejects.toThrow('permission denied');
      await pool.end();
    }
  });
});
