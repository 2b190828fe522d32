import { newId } from '@inference/database';
import { type UnitRate } from '@inference/metering';
import { parseExact } from '@inference/money';
import { hourLasts } from '@inference/testing';
import { type SignedIn, settleRequest, TestSite } from '../../testing/console.fixture';
import { sumNextHours } from './dashboard.repository';
import { DashboardService, DayFiguresJob } from './dashboard.service';
import { MarginService } from './margin.service';

interface Figures {
  from: string;
  to: string;
  revenue: unknown;
  calls: unknown;
  tokens: unknown;
  failed_calls: unknown;
  refused_calls: unknown;
  active_accounts: unknown;
  new_accounts: unknown;
  failed_payments: unknown;
  mean_duration_ms: unknown;
}
interface Body {
  current: Figures;
  before: Figures;
  upstreams: Record<string, unknown>;
  top_models: { model: string; calls: unknown; revenue: unknown }[];
  top_accounts: { account_id: string; revenue: unknown }[];
}

const RATES: UnitRate[] = [{ unit: 'per_million_tokens', ratePicos: 3n }];
const PERIODS = { today: 1, '7d': 7, '30d': 30, '90d': 90 } as const;

let site: TestSite;
let analyst: SignedIn;
const accounts: SignedIn[] = [];

/** Each figure from the tables behind the reports: single hours, calls, accounts and payments. */
const EXPECTED = `
  SELECT (SELECT coalesce(sum(cost_picos), 0) FROM metering.hourly_usage WHERE hour >= $1 AND hour < $2) / 1e12 AS revenue,
    (SELECT coalesce(sum(calls), 0) FROM metering.hourly_usage WHERE hour >= $1 AND hour < $2) AS calls,
    (SELECT coalesce(sum(tokens), 0) FROM metering.hourly_usage WHERE hour >= $1 AND hour < $2) AS tokens,
    (SELECT count(DISTINCT account_id) FROM metering.hourly_usage WHERE hour >= $1 AND hour < $2) AS active_accounts,
    (SELECT count(*) FROM accounts.accounts WHERE created_at >= $1 AND created_at < $2) AS new_accounts,
    (SELECT count(*) FROM billing.payments WHERE status = 'failed' AND created_at >= $1 AND created_at < $2) AS failed_payments`;

const pool = () => site.database.pool;

/** Usage of one hour, as it is after the fold. */
const addHour = (
  account: SignedIn,
  daysAgo: number,
  hour: number,
  model: string,
  cost: number,
  calls: number | null = 2,
) =>
  pool().query(
    `INSERT INTO metering.hourly_rollup (account_id, hour, model, entrypoint, unit, api_key_id, quantity, tokens, cost_picos, cost_usd_picos, calls)
     VALUES ($1, date_trunc('day', now(), 'UTC') - make_interval(days => $2) + make_interval(hours => $3), $4, 'gateway',
       'per_million_tokens', '', $5, $5, $5, $5, $6)`,
    [account.accountId, daysAgo, hour, model, cost, calls],
  );

/** Half an hour before noon of the present day. */
const noon = () => new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000 + 11.5 * 3_600_000);

beforeAll(async () => {
  await hourLasts();
  site = await TestSite.start();
  analyst = await site.signedIn('analyst');
  for (let i = 0; i < 3; i++) accounts.push(await site.signedIn('user', 10n ** 15n));
  for (const [index, daysAgo] of [1, 2, 6, 7, 8, 13, 29, 30, 59, 89, 90, 120, 179, 190].entries())
    for (const hour of [0, 11, 23])
      await addHour(
        accounts[index % 3]!,
        daysAgo,
        hour,
        `model-${index % 7}`,
        1_000 + 7 ** (index % 9) + hour,
      );
  for (const [index, daysAgo] of [1, 2, 8, 31, 91].entries())
    for (const hour of [2, 5, 9, 14, 15, 16, 20])
      await addHour(accounts[(index + hour) % 3]!, daysAgo, hour, `part-${hour % 4}`, 10_000 + 3 ** hour);
  for (const calls of [2, null]) await addHour(accounts[0]!, 190, calls ?? 1, 'uncounted', 1, calls);
  await pool().query(
    `INSERT INTO billing.payments (id, account_id, provider, amount_minor, currency, status, created_at, expires_at, ended_at)
     SELECT 'pay_failed' || n, $1, 'card_provider', 100, 'USD', 'failed', now() - make_interval(days => n), now(), now()
     FROM generate_series(0, 100, 3) n`,
    [accounts[0]!.accountId],
  );
  await pool().query(
    `INSERT INTO metering.daily_margins (day, account_id, model, upstream, calls, uncosted_calls, revenue_picos, uncosted_revenue_picos, cost_picos)
     SELECT date_trunc('day', now(), 'UTC') - make_interval(days => n), $1, 'm', 'u', n + 2, 1, 10 ^ 12 * (n + 1), 7, 10 ^ 11 * n
     FROM generate_series(0, 100) n`,
    [accounts[0]!.accountId],
  );
  await pool().query(
    `INSERT INTO metering.unfolded_margins (account_id, day, model, upstream, calls, uncosted_calls, revenue_picos, uncosted_revenue_picos, cost_picos)
     SELECT $1, date_trunc('day', now(), 'UTC') - make_interval(days => n), 'm', 'u', 1, 0, 5, 0, 3 FROM generate_series(0, 9, 3) n`,
    [accounts[0]!.accountId],
  );
  await pool().query(`UPDATE accounts.accounts SET created_at = now() - interval '10 days' WHERE id = $1`, [
    accounts[2]!.accountId,
  ]);
  await pool().query("UPDATE metering.rollup_progress SET rolled_until = date_trunc('hour', now(), 'UTC')");
  await site.console.app.get(DayFiguresJob).run();
});
afterAll(() => site.stop());

async function read(period: string): Promise<Body> {
  const path = `/api/admin/dashboard?period=${period}`;
  const { status, text } = await site.console.request('GET', path, { token: analyst.token });
  if (status !== 200) throw new Error(`${status} ${text}`);
  return parseExact(text) as unknown as Body;
}

/** The accounts and models with the highest cost, from single hours. */
const expectedTop = async (column: 'account_id' | 'model', { from, to }: { from: string; to: string }) =>
  (
    await pool().query<{ key: string; cost: string }>(
      `SELECT ${column} AS key, sum(cost_picos)::text AS cost FROM metering.hourly_usage WHERE hour >= $1 AND hour < $2
       GROUP BY 1 ORDER BY sum(cost_picos) DESC, 1 LIMIT 5`,
      [from, to],
    )
  ).rows.map(({ key, cost }) => [key, Number(cost)]);

/** Every figure of all periods at a time, compared with single hours and with the report of the margin. */
async function expectAllExact(now: Date): Promise<void> {
  for (const name of ['today', '7d', '30d', '90d'] as const) {
    const figures = await site.console.app.get(DashboardService).read(name, now);
    await expectExact(figures.current);
    await expectExact(figures.before);
    const picos = (revenue: { toString(): string }) => Math.round(Number(revenue.toString()) * 1e12);
    expect(figures.top_accounts.map(({ account_id: id, revenue }) => [id, picos(revenue)])).toEqual(
      await expectedTop('account_id', figures.current),
    );
    expect(figures.top_models.map(({ model, revenue }) => [model, picos(revenue)])).toEqual(
      await expectedTop('model', figures.current),
    );
    const to = new Date(Math.floor(now.getTime() / 86_400_000 + 1) * 86_400_000);
    const { total } = await site.console.app
      .get(MarginService)
      .report({ from: figures.current.from, to: to.toISOString(), group_by: 'day' });
    expect(figures.margin).toEqual(total);
  }
}

async function forgetSums(): Promise<void> {
  await pool().query("SELECT metering.forget_rollups('-infinity')");
}

/** Closes the hours before one of yesterday, and sums them. */
async function sumUntil(hour: number): Promise<void> {
  await pool().query(
    `UPDATE metering.rollup_progress SET rolled_until = date_trunc('day', now(), 'UTC') + make_interval(hours => $1)`,
    [hour - 24],
  );
  await site.console.app.get(DayFiguresJob).run();
}

/** A time of yesterday, half an hour after the hour. */
const yesterdayAt = (hour: number) =>
  new Date(Math.floor(Date.now() / 86_400_000 - 1) * 86_400_000 + (hour + 0.5) * 3_600_000);

async function expectExact(figures: { from: string; to: string }): Promise<void> {
  const { rows } = await pool().query<Record<string, unknown>>(EXPECTED, [figures.from, figures.to]);
  for (const [name, value] of Object.entries(rows[0]!))
    expect([name, Number(String(figures[name as keyof typeof figures]))]).toEqual([name, Number(value)]);
}

describe('the dashboard', () => {
  it('has summed each day whose hours are closed, once', async () => {
    const { rows } = await pool().query<{ days: bigint; last: boolean }>(
      `SELECT count(*) AS days, max(day) = date_trunc('day', now(), 'UTC') - interval '1 day' AS last FROM billing.day_figures`,
    );
    expect(rows).toEqual([{ days: 190n, last: true }]);
    await site.console.app.get(DayFiguresJob).run();
    expect((await pool().query('SELECT FROM billing.day_figures')).rowCount).toBe(190);
  });

  it.each(Object.entries(PERIODS))(
    'equals the reports for %s and for the period before',
    async (name, days) => {
      await settleRequest(pool(), accounts[0]!.accountId, {
        model: 'live',
        rates: RATES,
        usage: { inputTokens: 40, outputTokens: 2 },
        told: { duration_ms: 500 },
      });
      const { current, before, top_models: models, top_accounts: top } = await read(name);
      expect(Date.parse(current.to) - Date.parse(before.to)).toBe(days * 86_400_000);
      expect(Date.parse(current.from) - Date.parse(before.from)).toBe(days * 86_400_000);
      await expectExact(current);
      await expectExact(before);
      const { rows } = await pool().query(
        `SELECT model FROM metering.hourly_usage WHERE hour >= $1 AND hour < $2 GROUP BY model
       ORDER BY sum(cost_picos) DESC, model LIMIT 5`,
        [current.from, current.to],
      );
      expect(models.map(({ model }) => ({ model }))).toEqual(rows);
      const { rows: most } = await pool().query(
        `SELECT account_id FROM metering.hourly_usage WHERE hour >= $1 AND hour < $2 GROUP BY account_id
       ORDER BY sum(cost_picos) DESC, account_id LIMIT 5`,
        [current.from, current.to],
      );
      expect(top.map(({ account_id }) => ({ account_id }))).toEqual(most);
    },
  );

  it('counts failed and refused calls, and forgets none that were kept when their day was summed', async () => {
    const add = (kind: string, at: string) =>
      pool().query(
        `INSERT INTO metering.unserved_calls (request_id, occurred_at, started_at, account_id, entrypoint, endpoint, kind,
           http_status, error_code, duration_ms)
         VALUES ($1, ${at}, ${at}, $2, 'gateway', 'chat/completions', $3, 500, 'x', 1)`,
        [newId('req'), accounts[0]!.accountId, kind],
      );
    const before = await read('today');
    await add('failed', 'now()');
    await add('refused', 'now()');
    await add('refused', 'now()');
    const { current } = await read('today');
    expect(Number(String(current.failed_calls))).toBe(Number(String(before.current.failed_calls)) + 1);
    expect(Number(String(current.refused_calls))).toBe(Number(String(before.current.refused_calls)) + 2);
    // The log began today.
    expect((await read('90d')).current.failed_calls).toBeNull();
  });

  it('counts the upstreams as the page of the health shows them, and names models without one', async () => {
    const states = { up: 'active', down: 'active', silent: 'active', drain: 'draining', gone: 'off' };
    for (const [name, state] of Object.entries(states)) {
      await pool().query(
        "INSERT INTO serving.upstreams (id, name, base_url, state) VALUES ($1, $1, 'http://127.0.0.1:9/v1', $2)",
        [name, state],
      );
      await pool().query('INSERT INTO serving.upstream_models (upstream_id, model) VALUES ($1, $2)', [
        name,
        `of-${name}`,
      ]);
    }
    const report = { running: 0, openModels: [], calls: 0, failures: 0, firstByteMs: null, models: [] };
    await pool().query("INSERT INTO serving.gateway_reports (gateway_id, upstreams) VALUES ('g', $1)", [
      JSON.stringify([
        { ...report, upstreamId: 'up', isUp: true },
        { ...report, upstreamId: 'down', isUp: false },
      ]),
    ]);
    const { upstreams } = await read('today');
    expect(
      Object.fromEntries(Object.entries(upstreams).map(([name, value]) => [name, String(value)])),
    ).toEqual({
      ...{ up: '1', down: '1', unknown: '1', draining: '1', off: '1' },
      models_without_upstream: 'of-down,of-drain,of-gone',
    });
  });

  it('tells the mean time of the calls of the last hour', async () => {
    const { rows } = await pool().query<{ mean: string }>(
      "SELECT avg(duration_ms)::float8 AS mean FROM metering.usage_events WHERE occurred_at >= date_trunc('hour', now(), 'UTC')",
    );
    const { current } = await read('today');
    expect(Number(String(current.mean_duration_ms))).toBeCloseTo(Number(rows[0]!.mean), 6);
  });

  it('compares with the same hours of the day before', async () => {
    const now = noon();
    const { before } = await site.console.app.get(DashboardService).read('today', now);
    expect(before.to).toBe(new Date(now.getTime() + 1_800_000 - 86_400_000).toISOString());
    const { rows } = await pool().query<{ sum: string }>(
      'SELECT coalesce(sum(cost_picos), 0)::text AS sum FROM metering.hourly_usage WHERE hour >= $1 AND hour < $2',
      [before.from, before.to],
    );
    expect(Math.round(Number(before.revenue.toString()) * 1e12)).toBe(Number(rows[0]!.sum));
  });

  it('sums nothing before the first hour is closed', async () => {
    const progress = async () => (await pool().query('SELECT * FROM billing.figures_progress')).rows;
    await forgetSums();
    await pool().query('UPDATE metering.rollup_progress SET rolled_until = NULL');
    const before = await progress();
    await site.console.app.get(DayFiguresJob).run();
    expect(await progress()).toEqual(before);
    await expectExact((await read('7d')).current);
    await pool().query("UPDATE metering.rollup_progress SET rolled_until = date_trunc('hour', now(), 'UTC')");
    await site.console.app.get(DayFiguresJob).run();
    await expectExact((await read('7d')).current);
  });

  it('sums days again whose hours an operator has changed', async () => {
    await pool().query(
      `UPDATE metering.hourly_rollup SET cost_picos = cost_picos + 7000, tokens = tokens + 7
       WHERE hour >= date_trunc('day', now(), 'UTC') - interval '2 days' AND hour < date_trunc('day', now(), 'UTC') - interval '1 day'`,
    );
    await pool().query("SELECT metering.forget_rollups(now() - interval '2 days')");
    await expectExact((await read('7d')).current);
    await pool().query("UPDATE metering.rollup_progress SET rolled_until = date_trunc('hour', now(), 'UTC')");
    await site.console.app.get(DayFiguresJob).run();
    expect((await pool().query('SELECT FROM billing.day_figures')).rowCount).toBe(190);
    await expectExact((await read('7d')).current);
  });

  describe('wherever its sums end', () => {
    afterAll(async () => {
      await pool().query(
        "UPDATE metering.rollup_progress SET rolled_until = date_trunc('hour', now(), 'UTC')",
      );
      await site.console.app.get(DayFiguresJob).run();
    });

    it.each([
      ['has not begun', []],
      ['ends days before', [-40]],
      ['ends with a day', [-24, 0]],
      ['ends within the day, in steps', [-30, -3, 3, 6, 10, 15]],
      ['ends with the hour of the period', [1, 16]],
      ['ends after the period', [2, 9, 21]],
      ['ends after the day', [12, 30]],
    ])('is exact if the summing %s', async (_what, ends) => {
      await forgetSums();
      for (const hour of ends) await sumUntil(hour);
      await expectAllExact(yesterdayAt(15));
      await expectAllExact(yesterdayAt(23));
    });

    it('keeps the counts of calls that a former version has summed with their days', async () => {
      await forgetSums();
      await pool().query(
        `INSERT INTO billing.day_figures SELECT date_trunc('day', now(), 'UTC') - interval '8 days', 40, 41, 0, 0`,
      );
      await sumUntil(3);
      const { rows } = await pool().query(
        `SELECT failed_calls, refused_calls FROM billing.day_figures WHERE day = date_trunc('day', now(), 'UTC') - interval '8 days'`,
      );
      expect(rows).toEqual([{ failed_calls: 40n, refused_calls: 41n }]);
      await expectAllExact(yesterdayAt(15));
    });

    it('sums each hour once, whatever breaks off and however many consoles sum', async () => {
      await forgetSums();
      await sumUntil(-30);
      await pool().query(
        "UPDATE metering.rollup_progress SET rolled_until = date_trunc('day', now(), 'UTC') - interval '7 hours'",
      );
      const broken = pool().transaction(async (transaction) => {
        expect(await sumNextHours(transaction, new Date())).toBe(true);
        expect(await sumNextHours(transaction, new Date())).toBe(true);
        throw new Error('broken off');
      });
      await expect(broken).rejects.toThrow('broken off');
      await expectAllExact(yesterdayAt(20));
      const runs = Array.from({ length: 4 }, () => site.console.app.get(DayFiguresJob).run());
      await Promise.all([...runs, expectAllExact(yesterdayAt(20))]);
      await site.console.app.get(DayFiguresJob).run();
      await expectAllExact(yesterdayAt(20));
      const { rows } = await pool().query(
        'SELECT summed_until = rolled_until AS equal FROM billing.figures_progress, metering.rollup_progress',
      );
      expect(rows).toEqual([{ equal: true }]);
    });

    it('counts what waits to be folded once, also while it is folded', async () => {
      await sumUntil(16);
      const wait = (calls: number) =>
        pool().query(
          `INSERT INTO metering.unfolded_usage (account_id, hour, model, entrypoint, unit, api_key_id, quantity, tokens, cost_picos,
           cost_usd_picos, calls, limited_picos)
         SELECT $1, date_trunc('day', now(), 'UTC') - interval '6 hours', 'waiting', 'gateway', 'per_request', '', 1, 0, 0, 0, 1, 0
         FROM generate_series(1, $2::int)`,
          [accounts[1]!.accountId, calls],
        );
      await wait(20);
      const { current } = await site.console.app.get(DashboardService).read('7d', yesterdayAt(20));
      const fold = async () => {
        await wait(1);
        await pool().query("SELECT metering.fold('0', 10)");
      };
      let isFolded = false;
      const folding = (async () => {
        for (let i = 0; i < 20; i++) await fold();
        isFolded = true;
      })();
      let last = Number(current.calls);
      while (!isFolded) {
        const read = await site.console.app.get(DashboardService).read('7d', yesterdayAt(20));
        const calls = Number(read.current.calls);
        expect(calls).toBeGreaterThanOrEqual(last);
        expect(read.current.revenue).toEqual(current.revenue);
        last = calls;
      }
      await folding;
      await expectAllExact(yesterdayAt(20));
    });
  });

  it('says that calls are not known if some hours were settled before calls were counted', async () => {
    const { rows } = await pool().query("SELECT calls FROM billing.day_models WHERE model = 'uncounted'");
    expect(rows).toEqual([{ calls: null }]);
    expect((await read('today')).current.calls).not.toBeNull();
    // In the present hour, which is open.
    await addHour(accounts[0]!, 0, new Date().getUTCHours(), 'uncounted', 10 ** 9, null);
    const { current, top_models: models } = await read('today');
    expect([current.calls, models[0]]).toMatchObject([null, { model: 'uncounted', calls: null }]);
  });

  it('says that refused and failed calls are not known if the log does not have each day', async () => {
    const known = async () => {
      const all = { current: '', before: '' };
      for (const name of ['today', '7d', '30d', '90d'] as const) {
        const { current, before } = await site.console.app.get(DashboardService).read(name, noon());
        for (const [which, { failed_calls: failed, refused_calls: refused }] of Object.entries({
          current,
          before,
        })) {
          expect([name, which, failed === null]).toEqual([name, which, refused === null]);
          if (failed !== null) all[which as keyof typeof all] += `${name} `;
        }
      }
      return all;
    };
    expect(await known()).toEqual({ current: 'today ', before: '' });
    await pool().query('UPDATE billing.day_figures SET failed_calls = 1, refused_calls = 1');
    // The period before ends within a day, which is not summed.
    expect(await known()).toEqual({ current: 'today 7d 30d 90d ', before: '' });
    await pool().query(`
      DO $$ BEGIN
        FOR i IN 2..30 LOOP
          EXECUTE format('CREATE TABLE metering.%I PARTITION OF metering.unserved_calls FOR VALUES FROM (%L) TO (%L)',
            'unserved_calls_' || to_char(now() AT TIME ZONE 'UTC' - make_interval(days => i), 'YYYY_MM_DD'),
            date_trunc('day', now(), 'UTC') - make_interval(days => i), date_trunc('day', now(), 'UTC') - make_interval(days => i - 1));
        END LOOP;
      END $$`);
    expect(await known()).toEqual({ current: 'today 7d 30d 90d ', before: 'today 7d 30d ' });
  });

  it('tells the mean time of the whole days of a period', async () => {
    await pool().query(
      `UPDATE billing.day_figures SET timed_calls = 1,
         duration_ms = CASE WHEN day = date_trunc('day', now(), 'UTC') - interval '7 days' THEN 1000 ELSE 100 END`,
    );
    const { before } = await site.console.app.get(DashboardService).read('7d', noon());
    expect(before.mean_duration_ms).toBe(100);
  });

  it.each([['?period=year'], ['?days=3']])('refuses %s', async (query) => {
    const { status } = await site.console.request('GET', `/api/admin/dashboard${query}`, {
      token: analyst.token,
    });
    expect(status).toBe(400);
  });
});
