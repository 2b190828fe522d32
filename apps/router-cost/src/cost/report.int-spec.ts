import { type UnitRate } from '@inference/metering';
import {
  createTestDatabase,
  insertAccount,
  type Issuer,
  startIssuer,
  TEST_API_KEY_HASH_SECRET,
  type TestAccount,
  type TestDatabase,
  TestPool,
} from '@inference/testing';
import { insertStaff, type RunningService, startRouterCost } from '../../test/running-service';
import { type Served, settle } from '../../test/usage';

const BALANCE_PICOS = 10n ** 15n;
/** 0.000003 and 0.000005 per million tokens. */
const SMALL: UnitRate[] = [
  { unit: 'per_million_input_tokens', ratePicos: 3n },
  { unit: 'per_million_output_tokens', ratePicos: 5n },
];
const REQUEST: UnitRate[] = [{ unit: 'per_request', ratePicos: 2_000_000_000n }];
const FREE: UnitRate[] = [{ unit: 'per_million_tokens', ratePicos: 0n }];
/** More digits than a double has: 9,007,199.254740993 for a request. */
const PRECISE: UnitRate[] = [{ unit: 'per_request', ratePicos: 9_007_199_254_740_993n }];

interface Body {
  items: Record<string, string>[];
  next_cursor: string | null;
}

let database: TestDatabase;
let issuer: Issuer;
let gateway: TestPool;
let service: RunningService;
let ada: TestAccount;
let ben: TestAccount;
let admin: TestAccount;
let analyst: TestAccount;

beforeAll(async () => {
  database = await createTestDatabase();
  issuer = await startIssuer();
  gateway = TestPool.of({ url: database.urlFor('gateway'), applicationName: 'test gateway', size: 1 });
  ada = await insertAccount(database.pool, { balancePicos: BALANCE_PICOS });
  ben = await insertAccount(database.pool, { balancePicos: 10n ** 17n });
  admin = await insertStaff(database.pool, issuer, 'admin');
  analyst = await insertStaff(database.pool, issuer, 'analyst');
  service = await startRouterCost({
    DATABASE_URL: database.urlFor('router_cost'),
    CONSOLE_URL: issuer.url,
    API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
  });
  const request = { model: 'small', entrypoint: 'gateway', rates: SMALL, inputTokens: 7, outputTokens: 11 };
  const served: Served[] = [
    { ...request, account: ada },
    { ...request, account: ada, entrypoint: 'agent', inputTokens: 1_000, outputTokens: 0 },
    { ...request, account: ada, model: 'by,"request"', rates: REQUEST, inputTokens: 40, outputTokens: 2 },
    { ...request, account: ada, model: 'free', rates: FREE, inputTokens: 5, outputTokens: 5 },
    { ...request, account: ben, inputTokens: 1, outputTokens: 1 },
    { ...request, account: ben, model: 'precise', rates: PRECISE, inputTokens: 0, outputTokens: 0 },
  ];
  await settle(gateway, served);
});

afterAll(async () => {
  await service.app.close();
  await issuer.close();
  await gateway.end();
  await database.drop();
});

async function report(query: string, { apiKey }: TestAccount = ada): Promise<Body> {
  const { status, json, text } = await service.get(`/v1/router/cost${query}`, apiKey);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return json as Body;
}

const errorOf = async (query: string, account = ada, headers = {}) => {
  const { status, json } = await service.get(`/v1/router/cost${query}`, account.apiKey, headers);
  return [status, (json as { error?: string } | undefined)?.error];
};

describe('the cost report', () => {
  it('is one exact total without group_by', async () => {
    // 7 × 3 + 11 × 5 + 1,000 × 3 picos, and 0.002 for the request.
    const items = [{ cost_usd: '0.002000003076', tokens: '1070' }];
    expect(await report('')).toEqual({ items, next_cursor: null });
  });

  it('is JSON that may not be cached, with amounts as JSON numbers', async () => {
    const { headers, text } = await service.get('/v1/router/cost', ada.apiKey);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).toBe('{"items":[{"cost_usd":0.002000003076,"tokens":1070}],"next_cursor":null}');
  });

  it('is grouped by each dimension, highest cost first', async () => {
    expect((await report('?group_by=model')).items).toEqual([
      { model: 'by,"request"', cost_usd: '0.002', tokens: '42' },
      { model: 'small', cost_usd: '0.000000003076', tokens: '1018' },
      { model: 'free', cost_usd: '0', tokens: '10' },
    ]);
    expect((await report('?group_by=entrypoint')).items).toEqual([
      { entrypoint: 'gateway', cost_usd: '0.002000000076', tokens: '70' },
      { entrypoint: 'agent', cost_usd: '0.000000003', tokens: '1000' },
    ]);
    expect((await report('?group_by=user')).items).toEqual([
      { user: ada.accountId, cost_usd: '0.002000003076', tokens: '1070' },
    ]);
  });

  it('is grouped by several dimensions, in any order of them', async () => {
    const items = [
      {
        user: ben.accountId,
        model: 'precise',
        entrypoint: 'gateway',
        cost_usd: '9007.199254740993',
        tokens: '0',
      },
      { user: ada.accountId, model: 'by,"request"', entrypoint: 'gateway', cost_usd: '0.002', tokens: '42' },
      { user: ada.accountId, model: 'small', entrypoint: 'agent', cost_usd: '0.000000003', tokens: '1000' },
      {
        user: ada.accountId,
        model: 'small',
        entrypoint: 'gateway',
        cost_usd: '0.000000000076',
        tokens: '18',
      },
      { user: ben.accountId, model: 'small', entrypoint: 'gateway', cost_usd: '0.000000000008', tokens: '2' },
      { user: ada.accountId, model: 'free', entrypoint: 'gateway', cost_usd: '0', tokens: '10' },
    ];
    expect((await report('?group_by=user,model,entrypoint', admin)).items).toEqual(items);
    expect((await report('?group_by=entrypoint,user,model', admin)).items).toEqual(items);
  });

  it('allows spaces in group_by, and an empty one for the total', async () => {
    expect(await report('?group_by=user,%20model')).toEqual(await report('?group_by=user,model'));
    expect(await report('?group_by=+model+')).toEqual(await report('?group_by=model'));
    for (const empty of ['?group_by=', '?group_by=%20'])
      expect(await report(empty)).toEqual(await report(''));
  });

  it('shows a caller its own cost only, and an admin or analyst the cost of all accounts', async () => {
    const total = async (account: TestAccount) => (await report('', account)).items[0]!.cost_usd;
    expect(await total(ada)).toBe('0.002000003076');
    expect(await total(ben)).toBe('9007.199254741001');
    expect(await total(admin)).toBe('9007.201254744077');
    expect(await total(analyst)).toBe('9007.201254744077');
    expect((await report('?group_by=user', analyst)).items.map(({ user }) => user)).toEqual([
      ben.accountId,
      ada.accountId,
    ]);
  });

  it('is a total of zero, or has no groups, if there is no usage', async () => {
    const newcomer = await insertAccount(database.pool);
    const nothing = { items: [{ cost_usd: '0', tokens: '0' }], next_cursor: null };
    expect(await report('', newcomer)).toEqual(nothing);
    expect(await report('?from=2020-01-01&to=2020-02-01')).toEqual(nothing);
    expect(await report('?from=9000-01-01')).toEqual(nothing);
    expect(await report('?group_by=user,model', newcomer)).toEqual({ items: [], next_cursor: null });
  });

  it('starts at the beginning of the month in UTC by default', async () => {
    const now = new Date();
    const monthStart = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()));
    const lastMonth = new Date(monthStart.getTime() - 1);
    const other = await insertAccount(database.pool, { balancePicos: BALANCE_PICOS });
    const request = { account: other, model: 'small', entrypoint: 'gateway', rates: SMALL };
    const [settled] = await settle(gateway, [{ ...request, inputTokens: 1, outputTokens: 0 }]);
    await database.pool.query(
      `CREATE TABLE IF NOT EXISTS metering.usage_events_${lastMonth.toISOString().slice(0, 7).replace('-', '_')} PARTITION OF metering.usage_events
       FOR VALUES FROM ('${lastMonth.toISOString().slice(0, 7)}-01T00:00:00Z') TO ('${monthStart.toISOString()}')`,
    );
    await database.pool.query('UPDATE metering.usage_events SET occurred_at = $2 WHERE request_id = $1', [
      settled!.requestId,
      lastMonth,
    ]);
    await database.pool.query(
      "UPDATE metering.hourly_rollup SET hour = date_trunc('hour', $2::timestamptz, 'UTC') WHERE account_id = $1",
      [other.accountId, lastMonth],
    );
    expect((await report('', other)).items[0]!.cost_usd).toBe('0');
    const from = lastMonth.toISOString();
    expect((await report(`?from=${from}`, other)).items[0]!.cost_usd).toBe('0.000000000003');
    expect((await report(`?from=${from}&to=${monthStart.toISOString()}`, other)).items[0]!.tokens).toBe('1');
  });

  it('starts at the beginning of the month and of a day in the time zone', async () => {
    const other = await insertAccount(database.pool);
    const now = new Date(Date.now() + 8 * 3_600_000);
    const start = Date.UTC(now.getUTCFullYear(), now.getUTCMonth()) - 8 * 3_600_000;
    for (const [at, picos] of [
      [start - 3_600_000, 1],
      [start, 2],
    ] as const)
      await database.pool.query(
        `INSERT INTO metering.hourly_rollup VALUES ($1, $2, 'm', 'gateway', 'per_million_tokens', 1, 1, $3, $3)`,
        [other.accountId, new Date(at), picos],
      );
    const cost = async (query: string) => (await report(query, other)).items[0]!.cost_usd;
    expect(await cost('?time_zone=Asia/Shanghai')).toBe('0.000000000002');
    const date = now.toISOString().slice(0, 8);
    expect(await cost(`?from=${date}01&time_zone=Asia/Shanghai`)).toBe('0.000000000002');
    expect(await cost(`?from=${date}01T00:00:00+08:00`)).toBe('0.000000000002');
    expect(await cost(`?from=${date}01T00:00:00.000000000%2B09:00`)).toBe('0.000000000003');
    for (const zone of ['Asia/Kolkata', 'asia/shanghai', 'Japan', 'GMT'])
      expect(await cost(`?from=2026-01-01&time_zone=${zone}`)).toBe('0.000000000003');
    expect(await cost('?from=2026-01-01t00:00:00z')).toBe('0.000000000003');
  });

  it('includes events that were settled a moment ago', async () => {
    const cost = async () => (await report('', newest)).items[0]!.cost_usd;
    const newest = await insertAccount(database.pool, { balancePicos: BALANCE_PICOS });
    const request = { account: newest, model: 'small', entrypoint: 'x', rates: SMALL, inputTokens: 1 };
    for (const expected of ['0.000000000008', '0.000000000016', '0.000000000024']) {
      await settle(gateway, [{ ...request, outputTokens: 1 }]);
      expect(await cost()).toBe(expected);
    }
  });

  it('is in US dollars, at the rate of each request', async () => {
    const chinese = await insertAccount(database.pool, { balancePicos: BALANCE_PICOS });
    const request = { account: chinese, model: 'm', entrypoint: 'x', rates: REQUEST, inputTokens: 1 };
    await settle(gateway, [
      { ...request, outputTokens: 0, usdPerUnit: 1_400_000_010n },
      { ...request, outputTokens: 0, usdPerUnit: 1_500_000_000n },
    ]);
    // 2e9 picos × 0.140000001 and × 0.15.
    expect((await report('', chinese)).items[0]!.cost_usd).toBe('0.000580000002');
  });

  it.each([
    ['group_by=cost', 'group_by'],
    ['group_by=user,', 'group_by'],
    ['group_by=,user', 'group_by'],
    ['group_by=user,user', 'group_by'],
    ['group_by=user, user', 'group_by'],
    ['group_by=user model', 'group_by'],
    ['group_by=User', 'group_by'],
    ['group_by=constructor', 'group_by'],
    ['group_by=user&group_by=model', 'group_by'],
    ['group_by=user%00', 'group_by'],
    ['from=yesterday', 'from'],
    ['from=', 'from'],
    ['from=2026-01-01T00:00:00', 'from'],
    ['from=2026-01-01&from=2026-01-02', 'from'],
    ['to=2026-02-30', 'to'],
    ['from=2026-01-02&to=2026-01-01', 'from'],
    ['from=2026-01-01&to=2026-01-01', 'from'],
    ['to=2020-01-01', 'to'],
    ['time_zone=IST', 'time_zone'],
    ['time_zone=CET', 'time_zone'],
    ['time_zone=', 'time_zone'],
    ['time_zone=%2B08:00', 'time_zone'],
    ['from=0001-01-01&time_zone=Asia/Shanghai', 'from'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['limit=99999999999999999999', 'limit'],
    ['cursor=', 'cursor'],
    ['cursor=nonsense', 'cursor'],
    ['cursor=a&cursor=b', 'cursor'],
    ['unknown=1', 'unknown'],
    ['format=csv', 'format'],
  ])('refuses ?%s and says why', async (query, name) => {
    const [status, error] = await errorOf(`?${query}`);
    expect(status).toBe(400);
    expect(error).toMatch(new RegExp(`^${name}: `));
  });

  it('names all invalid parameters at once', async () => {
    const [, error] = await errorOf('?from=x&to=y&group_by=z&limit=0');
    expect(error).toMatch(/from: .*; to: .*; group_by: .*; limit: /);
  });
});

describe('the CSV report', () => {
  const csv = (query: string, account = ada, accept = 'text/csv') =>
    service.get(`/v1/router/cost${query}`, account.apiKey, { Accept: accept });

  it('has a header and a line per group, with quotes if necessary', async () => {
    const { status, headers, text } = await csv('?group_by=model,user');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text.split('\r\n')).toEqual([
      'model,user,cost_usd,tokens',
      `"by,""request""",${ada.accountId},0.002,42`,
      `small,${ada.accountId},0.000000003076,1018`,
      `free,${ada.accountId},0,10`,
      '',
    ]);
  });

  it('has at most 250,000 lines', async () => {
    const other = await insertAccount(database.pool);
    const insert = (first: number, last: number) =>
      database.pool.query(
        `INSERT INTO metering.hourly_rollup
         SELECT $1, date_trunc('hour', now(), 'UTC'), 'm' || lpad(model::text, 6, '0'), 'gateway', 'per_request', 1, 1, 5, 5
         FROM generate_series($2::int, $3::int) model`,
        [other.accountId, first, last],
      );
    await insert(1, 2_500);
    const { text } = await csv('?group_by=model', other);
    const lines = text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(2_501);
    expect([lines[1], lines[2_500]]).toEqual(['m000001,0.000000000005,1', 'm002500,0.000000000005,1']);
    await insert(2_501, 250_001);
    expect(await errorOf('?group_by=model', other, { Accept: 'text/csv' })).toEqual([
      400,
      expect.stringMatching(/more than 250000 lines/),
    ]);
    await database.pool.query('DELETE FROM metering.hourly_rollup WHERE account_id = $1', [other.accountId]);
  });

  it('is one total without group_by', async () => {
    expect((await csv('', ben)).text).toBe('cost_usd,tokens\r\n9007.199254741001,2\r\n');
  });

  it.each([
    ['text/csv', 'csv'],
    ['text/*', 'csv'],
    ['text/csv, application/json;q=0.9', 'csv'],
    ['application/json;q=0.1, text/csv;q=0.2', 'csv'],
    ['text/csv;q=0.5, application/json', 'json'],
    ['text/csv;q=0, */*', 'json'],
    ['application/json', 'json'],
    ['*/*', 'json'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'json'],
    ['image/png', 'json'],
    ['', 'json'],
  ])('comes for "%s": %s', async (accept, expected) => {
    const { headers } = await csv('', ada, accept);
    expect(headers.get('content-type')).toContain(`/${expected};`);
    expect(headers.get('vary')).toMatch(/Accept/);
  });

  it('has no pages', async () => {
    for (const query of ['?limit=5', '?cursor=abc']) {
      expect(await errorOf(query, ada, { Accept: 'text/csv' })).toEqual([
        400,
        expect.stringMatching(/no pages/),
      ]);
    }
  });

  it('keeps errors in JSON', async () => {
    const [status, error] = await errorOf('?group_by=x', ada, { Accept: 'text/csv' });
    expect([status, error]).toEqual([400, expect.stringMatching(/^group_by: /)]);
  });
});
