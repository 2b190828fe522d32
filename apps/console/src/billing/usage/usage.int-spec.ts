import { type UnitRate } from '@inference/metering';
import { settleRequest, type SignedIn, TestSite } from '../../testing/console.fixture';

const PRICED: UnitRate[] = [
  { unit: 'per_million_input_tokens', ratePicos: 150_001n },
  { unit: 'per_million_output_tokens', ratePicos: 600_007n },
];

interface Row {
  timestamp: string;
  model: string;
  unit: string;
  quantity: number;
  cost: number;
}

describe('usage', () => {
  let site: TestSite;
  let account: SignedIn;
  const read = (query = '', { token } = account) =>
    site.console.request('GET', `/api/billing/usage${query}`, { token });
  const rows = async (query = '') => ((await read(query)).body as { usage: Row[] }).usage;
  const insertHour = (
    hour: string,
    model: string,
    quantity: bigint,
    costPicos: bigint,
    entrypoint = 'gateway',
  ) =>
    site.database.pool.query(
      `INSERT INTO metering.hourly_rollup VALUES ($1, $2, $3, $4, 'per_million_tokens', $5, $5, $6, $6)`,
      [account.accountId, hour, model, entrypoint, quantity, costPicos],
    );

  beforeAll(async () => (site = await TestSite.start()));
  beforeEach(async () => (account = await site.signedIn('user', 10n ** 15n)));
  afterAll(() => site.stop());

  it('is an empty list for a new account', async () => {
    expect((await read()).text).toBe('{"usage":[]}');
  });

  it('is the same for an admin, byte by byte', async () => {
    const admin = await site.signedIn('admin');
    const usage = { inputTokens: 1234, outputTokens: 7 };
    await settleRequest(site.database.pool, account.accountId, { model: 'chat', rates: PRICED, usage });
    const asAdmin = (id: string, query = '', headers = {}) =>
      site.console.request('GET', `/api/admin/accounts/${id}/usage${query}`, { token: admin.token, headers });
    const query = '?granularity=hour&group_by=entrypoint,model';
    const [seen, own] = [await asAdmin(account.accountId, query), await read(query)];
    expect([seen.status, seen.text]).toEqual([200, own.text]);
    expect(own.text).toContain('0.000185101234');
    const csv = await asAdmin(account.accountId, '', { Accept: 'text/csv' });
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect(csv.text).toContain('0.000185101234,USD');
    expect((await asAdmin('acct_unknown')).status).toBe(404);
    expect((await asAdmin(account.accountId, '?granularity=week')).status).toBe(400);
    const path = `/api/admin/accounts/${account.accountId}/usage`;
    expect((await site.console.request('GET', path, { token: account.token })).status).toBe(403);
  });

  it('has at most 200,000 rows, which are written beside other requests', async () => {
    await site.database.pool.query(
      `INSERT INTO metering.hourly_rollup
       SELECT $1, hour, 'model ' || model, 'gateway', 'per_request', 1, 1, model, model
       FROM generate_series('2025-01-01T00:00:00Z'::timestamptz, '2025-12-31T23:00:00Z', '1 hour') hour, generate_series(1, 23) model`,
      [account.accountId],
    );
    const year = '?granularity=hour&group_by=model&from=2025-01-01&to=2026-01-01';
    expect(await read(year)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('more than 200000 rows') as string },
    });
    const months = year.replace('to=2026-01-01', 'to=2025-04-01');
    const answer = await read(months);
    const { usage } = answer.body as { usage: Row[] };
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(usage).toHaveLength(90 * 24 * 23);
    expect(usage.reduce((sum, { cost }) => sum + cost * 1e12, 0)).toBeCloseTo(90 * 24 * 276, 0);
    const csv = await site.console.request('GET', `/api/billing/usage${months}`, {
      token: account.token,
      headers: { Accept: 'text/csv' },
    });
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = csv.text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(usage.length + 1);
    expect(lines[40_000]).toContain(`${usage[39_999]!.timestamp},${usage[39_999]!.model},`);
  });

  it('shows a request at once and exactly, in agreement with the balance', async () => {
    const usage = { inputTokens: 1234, outputTokens: 7 };
    const cost = await settleRequest(site.database.pool, account.accountId, {
      model: 'chat',
      rates: PRICED,
      usage,
    });
    expect(cost).toBe(1234n * 150_001n + 7n * 600_007n);
    const { text } = await read();
    expect(text).toContain(
      '"model":"chat","quantity":0.001234,"unit":"per_million_input_tokens","cost":0.000185101234,"currency":"USD"}',
    );
    expect(text).toContain(
      '"model":"chat","quantity":0.000007,"unit":"per_million_output_tokens","cost":0.000004200049,"currency":"USD"}',
    );
    const settings = await site.console.request('GET', '/api/billing/settings', { token: account.token });
    expect(settings.text).toContain('"balance":999.999810698717,');
  });

  it('adds up exactly where floating point would not', async () => {
    const huge = 9_007_199_254_740_993n;
    await insertHour('2026-03-01T00:00:00Z', 'big', huge, huge);
    await insertHour('2026-03-01T01:00:00Z', 'big', huge, huge, 'agent');
    const { text } = await read('?from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z');
    expect(text).toBe(
      '{"usage":[{"timestamp":"2026-03-01T00:00:00.000Z","model":"big","quantity":18014398509.481986,' +
        '"unit":"per_million_tokens","cost":18014.398509481986,"currency":"USD"}]}',
    );
  });

  it('groups by day or hour, sorted by time, model and unit, `to` excluded', async () => {
    for (const model of ['b', 'B', 'a']) await insertHour('2026-03-02T05:00:00Z', model, 1n, 1n);
    await insertHour('2026-03-01T23:00:00Z', 'z', 1n, 1n);
    await insertHour('2026-03-02T00:00:00Z', 'z', 1n, 1n);
    const range = '?from=2026-03-01T00:00:00Z&to=2026-03-02T05:00:00Z';
    const short = (list: Row[]) => list.map(({ timestamp, model }) => `${timestamp.slice(0, 13)} ${model}`);
    expect(short(await rows(range))).toEqual(['2026-03-01T00 z', '2026-03-02T00 z']);
    expect(short(await rows(`${range}&granularity=hour`))).toEqual(['2026-03-01T23 z', '2026-03-02T00 z']);
    const later = '?from=2026-03-02&to=2026-03-03';
    expect(short(await rows(later))).toEqual([
      '2026-03-02T00 B',
      '2026-03-02T00 a',
      '2026-03-02T00 b',
      '2026-03-02T00 z',
    ]);
    expect(short(await rows(`${later}&granularity=hour`))).toEqual([
      '2026-03-02T00 z',
      '2026-03-02T05 B',
      '2026-03-02T05 a',
      '2026-03-02T05 b',
    ]);
  });

  it('starts at the beginning of the month by default', async () => {
    const now = new Date();
    const thisMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
    const lastMonth = new Date(thisMonth.getTime() - 3_600_000);
    await insertHour(thisMonth.toISOString(), 'now', 1n, 1n);
    await insertHour(lastMonth.toISOString(), 'before', 1n, 1n);
    expect((await rows()).map(({ model }) => model)).toEqual(['now']);
    expect((await rows(`?from=${lastMonth.toISOString()}`)).map(({ model }) => model)).toEqual([
      'before',
      'now',
    ]);
  });

  it('lets a reader go on from the timestamp of the last row', async () => {
    await insertHour('2026-03-01T05:00:00Z', 'b', 1n, 1n);
    const [last] = (await rows('?from=2026-03-01&to=2026-03-04')).slice(-1);
    await insertHour('2026-03-01T06:00:00Z', 'a', 1n, 1n);
    await insertHour('2026-03-02T05:00:00Z', 'a', 1n, 1n);
    const next = await rows(`?from=${last!.timestamp}&to=2026-03-04`);
    expect(next.map(({ timestamp, model }) => `${timestamp.slice(0, 10)} ${model}`)).toEqual([
      '2026-03-01 a',
      '2026-03-01 b',
      '2026-03-02 a',
    ]);
  });

  it('cuts a range within an hour to the microsecond', async () => {
    const usage = { inputTokens: 10, outputTokens: 0 };
    for (const model of ['one', 'two']) {
      await settleRequest(site.database.pool, account.accountId, { model, rates: PRICED.slice(0, 1), usage });
    }
    const { rows: events } = await site.database.pool.query<{ at: string }>(
      `SELECT to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
       FROM metering.usage_events WHERE account_id = $1 ORDER BY occurred_at`,
      [account.accountId],
    );
    const [first, second] = events.map(({ at }) => at);
    expect((await rows(`?from=${first}&to=${second}`)).map(({ model }) => model)).toEqual(['one']);
    expect((await rows(`?from=${second}`)).map(({ model }) => model).sort()).toContain('two');
  });

  it("is limited to the caller's account", async () => {
    await insertHour('2026-03-01T00:00:00Z', 'secret', 1n, 1n);
    const admin = await site.signedIn('admin');
    expect((await read('?from=2026-01-01T00:00:00Z', admin)).body).toEqual({ usage: [] });
  });

  it('names all invalid parameters at once', async () => {
    const { body } = await read('?from=x&to=2026&granularity=week&time_zone=Mars');
    expect((body as { error: string }).error).toMatch(/^granularity: .*; from: .*; to: .*; time_zone: /);
  });

  it('shows how a time is written', async () => {
    const { body } = await read('?from=yesterday');
    const form = 'an RFC 3339 time such as 2026-01-31T12:30:00Z or 2026-01-31T20:30:00+08:00';
    expect(body).toEqual({ error: `from: must be ${form}` });
  });

  it.each([
    '?from=yesterday',
    '?from=2026-02-30T00:00:00Z',
    '?from=2026-01-01T24:00:00Z',
    '?from=2026-01-01T00:00:00',
    '?from=0000-01-01T00:00:00Z',
    '?from=1700000000',
    '?from=',
    '?from=%00',
    '?from=2026-01-01T00:00:60Z',
    '?from=2026-1-1',
    '?from=2026-01-01T00:00:00Z%20',
    '?from=2026-01-01T00Z',
    '?from=%2B002026-01-01T00:00:00Z',
    '?from=-000001-01-01',
    '?from=infinity',
    '?from=2025-02-29',
    '?to=now',
    '?to=',
    '?to=1969-12-31T23:59:59.999999Z',
    '?to=2026-01-01&to=2026-01-02',
    '?to=2026-13-01',
    '?from=2026-01-01&from=2026-01-02',
    '?from[a]=2026-01-01&granularity=day&granularity=hour',
    '?granularity=week',
    '?granularity=Day',
    '?granularity=minute',
    '?granularity=',
    '?granularity=day&granularity=day',
    '?from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z',
    '?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
    '?from=9999-12-31T23:59:59Z',
    '?to=2020-01-01T00:00:00Z',
    '?granularity=hour&from=2024-01-01T00:00:00Z&to=2026-01-01T00:00:00Z',
    '?time_zone=',
    '?time_zone=IST',
    '?time_zone=%2B08:00',
    '?time_zone=Asia/Nowhere',
    '?time_zone=UTC%00',
    '?time_zone=SystemV/EST5',
    '?time_zone=UTC&time_zone=UTC',
    '?time_zone=CET',
    '?time_zone=EST',
    '?time_zone=systemv/est5',
    '?time_zone=Etc/Unknown',
    '?from=0001-01-01&time_zone=Asia/Shanghai',
    '?limit=1',
    '?unknown=x',
  ])('answers 400 for %s', async (query) => {
    const answer = await read(query);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.any(String) }]);
  });

  it.each([
    '?from=2026-01-01&to=2026-01-02',
    '?from=2026-01-01T00:00Z&to=2026-01-01T00:00:00.000001Z',
    '?from=2026-01-01T00:00:00%2B00:00&to=9999-12-31T23:59:59.999999Z',
    '?granularity=hour&from=2024-01-01T00:00:00Z&to=2025-01-01T00:00:00Z',
    '?from=1970-01-01',
    '?from=2024-02-29',
    '?from=2026-01-01T00:00:00%2B08:00',
    // A plus sign that is not encoded.
    '?from=2026-01-01T00:00:00+08:00',
    '?from=2026-01-01T00:00:00.123456789-03:30',
    '?from=2026-01-01t00:00:00z',
    '?from=0001-01-01T00:00:00Z&time_zone=America/New_York',
    '?granularity=hour&time_zone=Asia/Kolkata',
    '?from=1970-01-01&time_zone=Asia/Kathmandu',
    '?from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z&time_zone=Australia/Lord_Howe',
    '?time_zone=GMT',
    '?time_zone=Etc/UTC',
    '?time_zone=Etc/GMT%2B8',
    '?time_zone=Japan',
    '?time_zone=GB',
    '?time_zone=asia/kolkata',
    '?time_zone=utc',
  ])('accepts %s', async (query) => {
    expect((await read(query)).status).toBe(200);
  });
});
