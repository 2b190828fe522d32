import { type UnitRate } from '@inference/metering';
import { settleRequest, type SignedIn, TestSite } from '../../testing/console.fixture';

const RATES: UnitRate[] = [{ unit: 'per_million_input_tokens', ratePicos: 150_001n }];

interface Row {
  timestamp: string;
  model: string;
  quantity: number;
}

describe('usage by the day of a time zone', () => {
  let site: TestSite;
  let account: SignedIn;
  const read = (query: string) =>
    site.console.request('GET', `/api/billing/usage${query}`, { token: account.token });
  const rows = async (query: string) => ((await read(query)).body as { usage: Row[] }).usage;
  const insertHour = (hour: string, model: string, quantity: bigint) =>
    site.database.pool.query(
      `INSERT INTO metering.hourly_rollup VALUES ($1, $2, $3, 'gateway', 'per_million_tokens', $4, $4, 1, 1)`,
      [account.accountId, hour, model, quantity],
    );

  beforeAll(async () => (site = await TestSite.start()));
  beforeEach(async () => (account = await site.signedIn('user', 10n ** 15n)));
  afterAll(() => site.stop());

  it('groups by the days of a time zone', async () => {
    await insertHour('2026-03-01T15:00:00Z', 'm', 1n);
    await insertHour('2026-03-01T16:00:00Z', 'm', 2n);
    await insertHour('2026-03-02T15:00:00Z', 'm', 4n);
    await insertHour('2026-03-02T16:00:00Z', 'm', 8n);
    const inShanghai = async (range: string) =>
      (await rows(`${range}&time_zone=Asia/Shanghai`)).map(({ timestamp, quantity }) => [
        timestamp,
        quantity,
      ]);
    expect(await inShanghai('?from=2026-03-01T00:00:00Z&to=2026-03-03T00:00:00Z')).toEqual([
      ['2026-02-28T16:00:00.000Z', 0.000001],
      ['2026-03-01T16:00:00.000Z', 0.000006],
      ['2026-03-02T16:00:00.000Z', 0.000008],
    ]);
    expect(await inShanghai('?from=2026-03-02&to=2026-03-03')).toEqual([
      ['2026-03-01T16:00:00.000Z', 0.000006],
    ]);
  });

  it('groups by days of 23 and 25 hours where the clocks change', async () => {
    const hours = ['2026-03-28T22:00', '2026-03-28T23:00', '2026-03-29T21:00', '2026-03-29T22:00'];
    for (const hour of hours) await insertHour(`${hour}:00Z`, 'm', 1n);
    const berlin = await rows('?from=2026-03-28&to=2026-03-31&time_zone=Europe/Berlin');
    expect(berlin.map(({ timestamp, quantity }) => [timestamp, quantity])).toEqual([
      ['2026-03-27T23:00:00.000Z', 0.000001],
      ['2026-03-28T23:00:00.000Z', 0.000002],
      ['2026-03-29T22:00:00.000Z', 0.000001],
    ]);
  });

  it('groups by days that begin within an hour of UTC', async () => {
    const usage = { inputTokens: 10, outputTokens: 0 };
    const times = {
      before: '2026-03-01T18:29:59.999999Z',
      after: '2026-03-01T18:30:00Z',
      later: '2026-03-02T05:00Z',
    };
    await site.database.pool.query(
      'CREATE TABLE metering.usage_events_march PARTITION OF metering.usage_events DEFAULT',
    );
    for (const [model, at] of Object.entries(times)) {
      const values = [account.accountId, model, at];
      await settleRequest(site.database.pool, account.accountId, {
        model,
        rates: RATES,
        usage,
      });
      await site.database.pool.query(
        'UPDATE metering.usage_events SET occurred_at = $3 WHERE account_id = $1 AND model = $2',
        values,
      );
      await site.database.pool.query(
        `UPDATE metering.hourly_rollup SET hour = date_trunc('hour', $3::timestamptz, 'UTC') WHERE account_id = $1 AND model = $2`,
        values,
      );
    }
    const inKolkata = async (range: string) =>
      (await rows(`${range}&time_zone=Asia/Kolkata`)).map(({ timestamp, model, quantity }) => [
        timestamp,
        model,
        quantity,
      ]);
    const second = [
      ['2026-03-01T18:30:00.000Z', 'after', 0.00001],
      ['2026-03-01T18:30:00.000Z', 'later', 0.00001],
    ];
    expect(await inKolkata('?from=2026-03-01&to=2026-03-03')).toEqual([
      ['2026-02-28T18:30:00.000Z', 'before', 0.00001],
      ...second,
    ]);
    expect(await inKolkata('?from=2026-03-02&to=2026-03-03')).toEqual(second);
  });

  it('begins a day with the first of two midnights', async () => {
    await insertHour('2025-10-26T00:00:00Z', 'm', 1n);
    await insertHour('2025-10-26T05:00:00Z', 'm', 1n);
    const azores = await rows('?from=2025-10-26&to=2025-10-27&time_zone=Atlantic/Azores');
    expect(azores.map(({ timestamp, quantity }) => [timestamp, quantity])).toEqual([
      ['2025-10-26T00:00:00.000Z', 0.000002],
    ]);
  });

  it('groups by the hours of UTC in any time zone', async () => {
    await insertHour('2026-03-01T18:00:00Z', 'before', 1n);
    await insertHour('2026-03-01T19:00:00Z', 'm', 1n);
    const query = '?from=2026-03-02&to=2026-03-03&granularity=hour&time_zone=Asia/Kolkata';
    expect((await rows(query)).map(({ timestamp, model }) => [timestamp, model])).toEqual([
      ['2026-03-01T19:00:00.000Z', 'm'],
    ]);
  });

  it('starts at the beginning of the month in the time zone by default', async () => {
    const now = new Date(Date.now() + 8 * 3_600_000);
    const start = Date.UTC(now.getUTCFullYear(), now.getUTCMonth()) - 8 * 3_600_000;
    await insertHour(new Date(start).toISOString(), 'now', 1n);
    await insertHour(new Date(start - 3_600_000).toISOString(), 'before', 1n);
    const { usage } = (await read('?time_zone=Asia/Shanghai')).body as { usage: Row[] };
    expect(usage.map(({ timestamp, model }) => [timestamp, model])).toEqual([
      [new Date(start).toISOString(), 'now'],
    ]);
  });

  it('needs no time zone of the database', async () => {
    const { rows: known } = await site.database.pool.query(
      "SELECT FROM pg_timezone_names WHERE lower(name) = 'us/pacific-new'",
    );
    expect(known).toEqual([]);
    await insertHour('2026-03-02T07:00:00Z', 'm', 1n);
    await insertHour('2026-03-02T08:00:00Z', 'm', 2n);
    const pacific = await rows('?from=2026-03-01&to=2026-03-03&time_zone=US/Pacific-New');
    expect(pacific.map(({ timestamp, quantity }) => [timestamp, quantity])).toEqual([
      ['2026-03-01T08:00:00.000Z', 0.000001],
      ['2026-03-02T08:00:00.000Z', 0.000002],
    ]);
  });
});
