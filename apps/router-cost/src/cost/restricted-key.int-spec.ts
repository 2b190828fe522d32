import { type Role } from '@inference/guards';
import { type UnitRate } from '@inference/metering';
import {
  createTestDatabase,
  insertAccount,
  insertApiKey,
  TEST_API_KEY_HASH_SECRET,
  type TestAccount,
  type TestDatabase,
  TestPool,
  waitFor,
} from '@inference/testing';
import { type RunningService, startRouterCost } from '../../test/running-service';
import { type Served, settle } from '../../test/usage';

/** A key with a spending limit or a list of models sees the cost of its own calls, whatever the role of its account. */

const RATES: UnitRate[] = [{ unit: 'per_million_tokens', ratePicos: 1_000n }];

interface Body {
  items: Record<string, string>[];
  next_cursor: string | null;
}

let database: TestDatabase;
let gateway: TestPool;
let service: RunningService;
/** Has calls that no restricted key of another account may see. */
let stranger: TestAccount;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = TestPool.of({ url: database.urlFor('gateway'), applicationName: 'test gateway', size: 1 });
  service = await startRouterCost({
    DATABASE_URL: database.urlFor('router_cost'),
    CONSOLE_URL: 'http://127.0.0.1:1',
    API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
  });
  stranger = await insertAccount(database.pool, { balancePicos: 10n ** 12n });
  await settle(gateway, [call(stranger, 'foreign', 1_000)]);
});

afterAll(async () => {
  await service.app.close();
  await gateway.end();
  await database.drop();
});

const call = (account: Served['account'], model: string, inputTokens: number): Served => ({
  ...{ account, model, entrypoint: 'gateway', rates: RATES },
  ...{ inputTokens, outputTokens: 0 },
});

/** An account with a call of its first key and two calls of a restricted one. */
async function accountWith(limits: Parameters<typeof insertApiKey>[2], role: Role = 'user') {
  const owner = await insertAccount(database.pool, { role, balancePicos: 10n ** 12n });
  const key = { accountId: owner.accountId, ...(await insertApiKey(database.pool, owner.accountId, limits)) };
  await settle(gateway, [call(owner, 'one', 100), call(key, 'one', 7), call(key, 'two', 5)]);
  return { owner, key };
}

async function report(query: string, { apiKey }: { apiKey: string }): Promise<Body> {
  const { status, json, text } = await service.get(`/v1/router/cost${query}`, apiKey);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return json as Body;
}

const tokensOf = async (query: string, key: { apiKey: string }) =>
  (await report(query, key)).items.map(({ tokens }) => tokens);

const LIMITS: [string, Parameters<typeof insertApiKey>[2]][] = [
  ['a spending limit', { spendLimitPicos: 10_000_000n }],
  ['a list of models', { allowedModels: ['one'] }],
  ['a list of no models', { allowedModels: [] }],
];

describe.each(LIMITS)('a key with %s', (_what, limits) => {
  it('sees its own calls, and the account all of them', async () => {
    const { owner, key } = await accountWith(limits);
    expect(await tokensOf('', key)).toEqual(['12']);
    expect(await tokensOf('', owner)).toEqual(['112']);
  });

  it.each(['admin', 'analyst'] as const)(
    'sees its own calls only, also if its account is %s',
    async (role) => {
      const { owner, key } = await accountWith(limits, role);
      for (const query of ['', '?accounts=own', '?accounts=all'])
        expect(await tokensOf(query, key)).toEqual(['12']);
      // Keys carry no role of the staff.
      const users = (await report('?group_by=user&limit=100', owner)).items.map(({ user }) => user);
      expect(users).toEqual([owner.accountId]);
    },
  );
});

describe('the report of a restricted key', () => {
  let owner: TestAccount;
  let key: Served['account'] & { apiKey: string };

  beforeAll(async () => {
    ({ owner, key } = await accountWith({ spendLimitPicos: 1n }));
  });

  it('is never refused, not even if it asks for all accounts', async () => {
    expect(await tokensOf('?accounts=all', key)).toEqual(['12']);
  });

  it('is grouped and divided as the report of the account is', async () => {
    const { items } = await report('?group_by=user,model,entrypoint,api_key', key);
    const of = { user: key.accountId, entrypoint: 'gateway', api_key: key.apiKeyId };
    expect(items).toEqual([
      { ...of, model: 'one', cost_usd: '0.000000007', tokens: '7' },
      { ...of, model: 'two', cost_usd: '0.000000005', tokens: '5' },
    ]);
    for (const granularity of ['hour', 'day', 'month']) {
      const divided = await report(`?granularity=${granularity}&group_by=model`, key);
      expect(divided.items.map(({ model, tokens }) => [model, tokens])).toEqual([
        ['one', '7'],
        ['two', '5'],
      ]);
    }
  });

  it('is exact for a part of an hour', async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const justNow = new Date(Date.now() - 3_599_999).toISOString();
    for (const query of [
      `?from=${justNow}`,
      `?from=${justNow}&to=${soon}`,
      `?from=${justNow}&granularity=hour`,
    ]) {
      const tokens = await tokensOf(query, key);
      expect([query, tokens.reduce((sum, count) => sum + Number(count), 0)]).toEqual([query, 12]);
    }
  });

  it('is the same as CSV', async () => {
    const { text } = await service.get('/v1/router/cost?group_by=model', key.apiKey, { Accept: 'text/csv' });
    expect(text).toBe('model,cost_usd,tokens\r\none,0.000000007,7\r\ntwo,0.000000005,5\r\n');
  });

  it('has pages whose cursors no other caller can use', async () => {
    const query = '?group_by=model&limit=1';
    const first = await report(query, key);
    const second = await report(`${query}&cursor=${first.next_cursor}`, key);
    expect([...first.items, ...second.items].map(({ model }) => model)).toEqual(['one', 'two']);
    expect(second.next_cursor).toBeNull();
    const of = await report(query, owner);
    const statusOf = async (cursor: string | null, { apiKey }: { apiKey: string }) =>
      (await service.get(`/v1/router/cost${query}&cursor=${cursor}`, apiKey)).status;
    expect([await statusOf(first.next_cursor, owner), await statusOf(of.next_cursor, key)]).toEqual([
      400, 400,
    ]);
  });

  it('covers rolled up months and archived hours, and does not part an archived hour with calls of the key', async () => {
    const { key: old, owner: account } = await accountWith({ allowedModels: ['one'] });
    const insert = (table: string, time: string, apiKeyId: string, cost: number) =>
      database.pool.query(
        `INSERT INTO metering.${table} VALUES ($1, $2, 'm', 'gateway', 'per_request', 1, 0, $3, $3, $4)`,
        [account.accountId, time, cost, apiKeyId],
      );
    await insert('hourly_rollup', '2026-02-05T18:00:00Z', old.apiKeyId, 3);
    await insert('hourly_rollup', '2026-02-05T19:00:00Z', account.apiKeyId, 40);
    await database.pool.query(
      "INSERT INTO metering.archived_days (day, manifest, manifest_sha256, dropped_at) VALUES ('2026-02-05T00:00:00Z', '', '', now())",
    );
    const costOf = async (query: string, of: { apiKey: string }) =>
      (await report(query, of)).items[0]?.cost_usd;
    const february = '?from=2026-02-01T00:00:00Z&to=2026-03-01T00:00:00Z';
    expect([await costOf(february, old), await costOf(february, account)]).toEqual([
      '0.000000000003',
      '0.000000000043',
    ]);
    const statusOf = async (from: string, { apiKey }: { apiKey: string }) =>
      (await service.get(`/v1/router/cost?from=${from}`, apiKey)).status;
    expect([
      await statusOf('2026-02-05T18:30:00Z', old),
      await statusOf('2026-02-05T19:30:00Z', old),
    ]).toEqual([400, 200]);
    expect(await statusOf('2026-02-05T19:30:00Z', account)).toBe(400);
  });
});

it('a key that gets a limit or loses it sees less or more before its cache entry expires', async () => {
  // Cache entries do not expire while the clock stands.
  const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  const { owner } = await accountWith({});
  const plain = { accountId: owner.accountId, ...(await insertApiKey(database.pool, owner.accountId)) };
  const untilTokens = (tokens: string) => waitFor(async () => (await tokensOf('', plain))[0] === tokens);
  for (const [column, limit] of [
    ['spend_limit_picos', 5n],
    ['allowed_models', ['one']],
  ] as const) {
    const change = (value: unknown) =>
      database.pool.query(`UPDATE accounts.api_keys SET ${column} = $2 WHERE id = $1`, [
        plain.apiKeyId,
        value,
      ]);
    await untilTokens('112');
    await change(limit);
    await untilTokens('0');
    await change(null);
  }
  await untilTokens('112');
  clock.mockRestore();
});
