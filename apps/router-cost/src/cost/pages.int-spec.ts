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
import { ENTITIES } from '../entities';
import { insertStaff, type RunningService, startRouterCost } from '../../test/running-service';
import { type Served, settle } from '../../test/usage';
import { readCostGroups } from './cost.repository';

interface Item {
  user?: string;
  model?: string;
  cost_usd: string;
  tokens: string;
}

interface Body {
  items: Item[];
  next_cursor: string | null;
}

const MODELS = 60;
const PATH = '/v1/router/cost?group_by=model';

let database: TestDatabase;
let issuer: Issuer;
let gateway: TestPool;
let service: RunningService;
let account: TestAccount;
let admin: TestAccount;

const serve = (model: string, tokens: number): Served => ({
  account,
  model,
  entrypoint: 'gateway',
  rates: [{ unit: 'per_million_tokens', ratePicos: 1_000n }],
  inputTokens: tokens,
  outputTokens: 0,
});

beforeAll(async () => {
  database = await createTestDatabase(ENTITIES);
  issuer = await startIssuer();
  gateway = TestPool.of({ url: database.urlFor('gateway'), applicationName: 'test gateway', size: 1 });
  account = await insertAccount(database.pool, { balancePicos: 10n ** 15n });
  admin = await insertStaff(database.pool, issuer, 'admin');
  service = await startRouterCost({
    DATABASE_URL: database.urlFor('router_cost'),
    CONSOLE_URL: issuer.url,
    API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
  });
  // Six models of each cost, with names whose order by bytes differs from the order by language.
  const names = Array.from({ length: MODELS }, (_, index) => `${index % 2 ? 'B' : 'a'}-${index}/é`);
  await settle(
    gateway,
    names.map((name, index) => serve(name, 1 + (index % 10))),
  );
});

afterAll(async () => {
  await service.app.close();
  await issuer.close();
  await gateway.end();
  await database.drop();
});

async function page(query: string, { apiKey }: TestAccount = account): Promise<Body> {
  const { status, json, text } = await service.get(`${PATH}${query}`, apiKey);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return json as Body;
}

async function allPages(
  limit: number,
  beforeEach: (pageNumber: number) => Promise<unknown>,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    await beforeEach(pages++);
    const body: Body = await page(`&limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`);
    expect(body.items.length).toBeLessThanOrEqual(limit);
    items.push(...body.items);
    cursor = body.next_cursor;
  } while (cursor !== null);
  expect(pages).toBe(Math.ceil(items.length / limit));
  return items;
}

const nothing = () => Promise.resolve();
const costOf = ({ cost_usd: cost }: Item) => Math.round(Number(cost) * 1e12);

/** Sorts by descending cost, then by the bytes of the name. */
function isSorted(items: Item[]): boolean {
  return items.every((item, index) => {
    const before = items[index - 1];
    if (!before || costOf(before) > costOf(item)) return true;
    return (
      costOf(before) === costOf(item) &&
      Buffer.compare(Buffer.from(before.model!), Buffer.from(item.model!)) < 0
    );
  });
}

describe('a long report', () => {
  it('has fifty items on a page by default, and says that there are more', async () => {
    const { items, next_cursor: cursor } = await page('');
    expect(items).toHaveLength(50);
    const rest = await page(`&cursor=${cursor}`);
    expect([rest.items.length, rest.next_cursor]).toEqual([10, null]);
  });

  it.each([1, 6, 7, 59, 60, 100])('shows every group once, in order, in pages of %d', async (limit) => {
    const items = await allPages(limit, nothing);
    expect(new Set(items.map(({ model }) => model)).size).toBe(MODELS);
    expect(items).toHaveLength(MODELS);
    expect(isSorted(items)).toBe(true);
  });

  it('does not change after its first page was read, also if more events are settled', async () => {
    const before = await allPages(100, nothing);
    const late = before.at(-1)!.model!;
    const during = await allPages(7, async (pageNumber) => {
      if (pageNumber > 0) await settle(gateway, [serve(late, 1_000), serve(`new-${pageNumber}`, 500)]);
    });
    expect(during).toEqual(before);
    const after = await page('&limit=1');
    expect(after.items[0]!.model).toBe(late);
  });

  it('continues with another limit', async () => {
    const whole = await page('&limit=100');
    const { next_cursor: cursor } = await page('&limit=3');
    expect((await page(`&limit=2&cursor=${cursor}`)).items).toEqual(whole.items.slice(3, 5));
  });

  it('has cursors that are valid only for the same caller and query', async () => {
    const { next_cursor: cursor } = await page('&limit=3');
    const refusal = async (path: string, caller = account) => {
      const { status, json } = await service.get(path, caller.apiKey);
      return [status, (json as { error?: string }).error];
    };
    const foreign = [400, 'cursor: belongs to another report'];
    const stranger = await insertAccount(database.pool);
    expect(await refusal(`${PATH}&cursor=${cursor}`, stranger)).toEqual(foreign);
    expect(await refusal(`${PATH}&cursor=${cursor}`, admin)).toEqual(foreign);
    for (const other of ['&from=2026-01-01', '&to=9999-01-01', ',user']) {
      expect(await refusal(`${PATH}${other}&cursor=${cursor}`)).toEqual(foreign);
    }
    expect(await refusal(`/v1/router/cost?cursor=${cursor}`)).toEqual(foreign);
    expect(await refusal(`/v1/router/cost?group_by=entrypoint&cursor=${cursor}`)).toEqual(foreign);
  });

  it('never responds 500 to a forged cursor', async () => {
    const { next_cursor: cursor } = await page('&limit=3');
    const parts = JSON.parse(Buffer.from(cursor!, 'base64url').toString()) as unknown[];
    const replace = (index: number, value: unknown) => parts.map((part, at) => (at === index ? value : part));
    const huge = '9'.repeat(39);
    const forgeries: unknown[] = [
      ...[null, 7, {}, [], parts.slice(1), [...parts, 1], replace(0, null), replace(0, ''), replace(1, '0')],
      ...[
        replace(1, '+999999-01-01T00:00:00Z'),
        replace(2, null),
        replace(3, huge),
        replace(3, '-1'),
        replace(3, '1.5'),
      ],
      ...[
        replace(4, 'x'),
        replace(4, []),
        replace(4, ['a', 'b']),
        replace(4, [7]),
        replace(4, ['\0']),
        replace(4, [null]),
      ],
    ];
    for (const forged of forgeries) {
      const text = Buffer.from(JSON.stringify(forged)).toString('base64url');
      const { status } = await service.get(`${PATH}&cursor=${text}`, account.apiKey);
      expect([forged, status]).toEqual([forged, 400]);
    }
    for (const cost of ['9'.repeat(38), '0']) {
      const text = Buffer.from(JSON.stringify(replace(3, cost))).toString('base64url');
      expect((await service.get(`${PATH}&cursor=${text}`, account.apiKey)).status).toBe(200);
    }
  });
});

describe('groups of equal cost', () => {
  const PAIRS = ['a', 'B'].flatMap((model) =>
    ['agent', 'gateway', 'memo'].map((entrypoint) => [model, entrypoint]),
  );

  it.each(['model,entrypoint', 'entrypoint,model', 'api_key,model,entrypoint'])(
    'are in the order of the bytes of all keys, on pages of one by %s',
    async (names) => {
      const tied = await insertAccount(database.pool, { balancePicos: 10n ** 15n });
      await settle(
        gateway,
        PAIRS.map(([model, entrypoint]) => ({ ...serve(model!, 5), account: tied, entrypoint: entrypoint! })),
      );
      const keysOf = (item: object) =>
        names.split(',').map((name) => (item as Record<string, string>)[name]!);
      const seen: string[][] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const path = `/v1/router/cost?group_by=${names}&limit=1${cursor && `&cursor=${cursor}`}`;
        const body = (await service.get(path, tied.apiKey)).json as Body;
        seen.push(...body.items.map(keysOf));
        cursor = body.next_cursor;
      }
      const expected = PAIRS.map(([model, entrypoint]) =>
        keysOf({ model, entrypoint, api_key: tied.apiKeyId }),
      ).sort((one, other) => {
        const at = one.findIndex((key, index) => key !== other[index]);
        return one[at]! < other[at]! ? -1 : 1;
      });
      expect(seen).toEqual(expected);
    },
  );

  it('has nothing behind the one group of a report without names', async () => {
    const report = {
      ...{ from: '2020-01-01T00:00:00Z', to: null, accountId: account.accountId },
      ...{ names: [], buckets: null, limit: 10 },
    };
    const [total] = await readCostGroups(database.pool, { ...report, after: null });
    const { costUsdPicos } = total!;
    const behind = async (cost: bigint) =>
      (await readCostGroups(database.pool, { ...report, after: { costUsdPicos: cost, keys: [] } })).length;
    expect([await behind(costUsdPicos + 1n), await behind(costUsdPicos)]).toEqual([1, 0]);
  });
});

describe('the CSV of a long report', () => {
  it('contains all groups', async () => {
    const { text } = await service.get(PATH, account.apiKey, { Accept: 'text/csv' });
    const { rows } = await database.pool.query<{ count: bigint }>(
      'SELECT count(DISTINCT model) FROM metering.hourly_rollup WHERE account_id = $1',
      [account.accountId],
    );
    expect(text.trim().split('\r\n')).toHaveLength(1 + Number(rows[0]!.count));
  });
});
