import { type UnitRate } from '@inference/metering';
import {
  createTestDatabase,
  insertAccount,
  TEST_API_KEY_HASH_SECRET,
  type TestAccount,
  type TestDatabase,
  TestPool,
} from '@inference/testing';
import { type RunningService, startRouterCost } from '../../test/running-service';
import { type Served, settle } from '../../test/usage';

const BALANCE_PICOS = 10n ** 15n;
/** 0.000003 and 0.000005 per million tokens. */
const SMALL: UnitRate[] = [
  { unit: 'per_million_input_tokens', ratePicos: 3n },
  { unit: 'per_million_output_tokens', ratePicos: 5n },
];
const REQUEST: UnitRate[] = [{ unit: 'per_request', ratePicos: 2_000_000_000n }];

interface Body {
  items: Record<string, string>[];
  next_cursor: string | null;
}

let database: TestDatabase;
let gateway: TestPool;
let service: RunningService;
let ada: TestAccount;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = TestPool.of({ url: database.urlFor('gateway'), applicationName: 'test gateway', size: 1 });
  ada = await insertAccount(database.pool, { balancePicos: BALANCE_PICOS });
  service = await startRouterCost({
    DATABASE_URL: database.urlFor('router_cost'),
    CONSOLE_URL: 'http://127.0.0.1:1',
    API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
  });
  const request = { model: 'small', entrypoint: 'gateway', rates: SMALL, inputTokens: 7, outputTokens: 11 };
  const served: Served[] = [
    { ...request, account: ada },
    { ...request, account: ada, entrypoint: 'agent', inputTokens: 1_000, outputTokens: 0 },
    { ...request, account: ada, model: 'by,"request"', rates: REQUEST, inputTokens: 40, outputTokens: 2 },
  ];
  await settle(gateway, served);
});

afterAll(async () => {
  await service.app.close();
  await gateway.end();
  await database.drop();
});

async function report(query: string, { apiKey }: TestAccount = ada): Promise<Body> {
  const { status, json, text } = await service.get(`/v1/router/cost${query}`, apiKey);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return json as Body;
}

const statusOf = async (query: string) => (await service.get(`/v1/router/cost${query}`, ada.apiKey)).status;

describe('the cost report by time and API key', () => {
  it('is grouped by API key and divided by time', async () => {
    const month = new Date();
    const start = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth())).toISOString();
    const total = { cost_usd: '0.002000003076', tokens: '1060' };
    expect((await report('?group_by=api_key')).items).toEqual([{ api_key: ada.apiKeyId, ...total }]);
    expect((await report('?granularity=month')).items).toEqual([{ timestamp: start, ...total }]);
    const { text } = await service.get(
      '/v1/router/cost?granularity=month&group_by=entrypoint,api_key',
      ada.apiKey,
    );
    expect(text).toBe(
      `{"items":[{"timestamp":"${start}","entrypoint":"gateway","api_key":"${ada.apiKeyId}","cost_usd":0.002000000076,"tokens":60},` +
        `{"timestamp":"${start}","entrypoint":"agent","api_key":"${ada.apiKeyId}","cost_usd":0.000000003,"tokens":1000}],"next_cursor":null}`,
    );
    for (const granularity of ['day', 'hour']) {
      const { items } = await report(`?granularity=${granularity}`);
      expect(items.map(({ timestamp }) => timestamp?.slice(0, 7))).toContain(start.slice(0, 7));
    }
  });

  it('is null for usage without an API key', async () => {
    const other = await insertAccount(database.pool);
    await database.pool.query(
      `INSERT INTO metering.hourly_rollup VALUES ($1, '2026-03-01T00:00:00Z', 'm', 'gateway', 'per_request', 1, 0, 5, 5)`,
      [other.accountId],
    );
    const query = 'from=2026-03-01&to=2026-04-01&group_by=api_key&granularity=day&time_zone=Asia/Shanghai';
    const { text } = await service.get(`/v1/router/cost?${query}`, other.apiKey);
    expect(text).toBe(
      '{"items":[{"timestamp":"2026-02-28T16:00:00.000Z","api_key":null,"cost_usd":0.000000000005,"tokens":0}],"next_cursor":null}',
    );
  });

  it('refuses to part an hour whose events are archived', async () => {
    const other = await insertAccount(database.pool);
    await database.pool.query(
      `INSERT INTO metering.hourly_rollup VALUES ($1, '2026-02-05T18:00:00Z', 'm', 'gateway', 'per_request', 1, 0, 5, 5)`,
      [other.accountId],
    );
    await database.pool.query(
      "INSERT INTO metering.archived_days (day, manifest, manifest_sha256, dropped_at) VALUES ('2026-02-05T00:00:00Z', '', '', now())",
    );
    const statusFor = async (query: string, { apiKey } = other) =>
      (await service.get(`/v1/router/cost?${query}`, apiKey)).status;
    const days = 'from=2026-02-01T00:00:00Z&to=2026-02-09T00:00:00Z&granularity=day';
    for (const query of [
      'from=2026-02-05T18:30:00Z',
      'from=2026-02-01&to=2026-02-05T18:30:00Z',
      `${days}&time_zone=Asia/Kolkata`,
    ])
      expect([await statusFor(query), await statusFor(query, ada)]).toEqual([400, 200]);
    for (const query of ['from=2026-02-05T18:00:00Z', `${days}&time_zone=Asia/Shanghai`, days])
      expect(await statusFor(query)).toBe(200);
  });

  it('follows a cursor of a divided report, which no other report accepts', async () => {
    const query = '?granularity=month&group_by=model&limit=1';
    const first = await report(query);
    const second = await report(`${query}&cursor=${first.next_cursor}`);
    expect([...first.items, ...second.items].map(({ model }) => model)).toEqual(['by,"request"', 'small']);
    for (const other of ['?granularity=day&group_by=model', '?group_by=model'])
      expect(await statusOf(`${other}&cursor=${first.next_cursor}`)).toBe(400);
  });

  it.each([
    '?granularity=year',
    '?granularity=',
    '?granularity=hour&from=2020-01-01',
    '?group_by=api_key,api_key',
  ])('answers 400 for %s', async (query) => expect(await statusOf(query)).toBe(400));
});
