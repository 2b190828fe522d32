import { decimalToPicos } from '@inference/money';
import { createTestDatabase, type TestDatabase } from '@inference/testing';
import { readEvents, runReconcile } from '../billing/ledger-totals';
import { type CallResult } from '../load/call-result';
import { askConsole, consoleBody } from '../site/console-client';
import { createAdmin } from '../site/create-admin';
import { closeHours } from '../billing/close-hours';
import { readRouterCost } from '../billing/router-cost-report';
import { sdkChat, sdkClient, sdkStream } from '../load/sdk-calls';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

jest.setTimeout(600_000);

const ADMIN = { email: 'admin@example.com', password: 'admin password of this test' };
const CUSTOMER = { email: 'customer@example.com', password: 'customer password of this test' };
const CREDIT = 25;
const DAY_MILLIS = 86_400_000;

const SPLIT_MODEL = 'sandbox-chat';
const COMBINED_MODEL = 'sandbox-mini';
const PRICES = [
  { slug: SPLIT_MODEL, unit: 'per_million_input_tokens', price: 0.150001 },
  { slug: SPLIT_MODEL, unit: 'per_million_output_tokens', price: 0.599999 },
  { slug: COMBINED_MODEL, unit: 'per_million_tokens', price: 0.377777 },
];
const USD_PER_YUAN = '0.1398765432';
const RATE_SCALE = 10n ** 10n;

/** Picos per token. The price of a million tokens is this number with six decimals. */
const RATES = { input: 150_001n, output: 599_999n, combined: 377_777n };

interface Cost {
  picos: bigint;
  usdPicos: bigint;
  tokens: bigint;
}

const SITES = [
  { name: 'intl', currency: 'USD', usdRate: RATE_SCALE },
  { name: 'cn', currency: 'CNY', usdRate: 1_398_765_432n },
] as const;

/** The expected cost of a call. Each priced unit is a line, and each line is converted to USD, rounded half up. */
function costOf(model: string, { usage }: CallResult, usdRate: bigint): Cost {
  const [input, output] = [BigInt(usage!.inputTokens), BigInt(usage!.outputTokens)];
  const lines =
    model === SPLIT_MODEL
      ? [input * RATES.input, output * RATES.output]
      : [(input + output) * RATES.combined];
  const toUsd = (picos: bigint) => (picos * usdRate + RATE_SCALE / 2n) / RATE_SCALE;
  return {
    picos: sum(lines),
    usdPicos: sum(lines.map(toUsd)),
    tokens: input + output,
  };
}

const sum = (values: bigint[]) => values.reduce((total, value) => total + value, 0n);
const picos = (value: unknown) => decimalToPicos(String(value));

interface UsageRow {
  model: string;
  unit: string;
  quantity: unknown;
  cost: unknown;
  currency: string;
}

interface Transaction {
  id: string;
  type: string;
  amount: unknown;
  currency: string;
  created_at: string;
}

describe.each(SITES)('the main path on the site $name', ({ name, currency, usdRate }) => {
  let database: TestDatabase;
  let site: Site;
  let consoleApp: ServiceProcess;
  let gateway: ServiceProcess;
  let routerCost: ServiceProcess;
  let token: string;
  let cookie: string;
  let apiKey: string;
  const calls: { model: string; result: CallResult }[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    site = new Site(database, { site: name });
    const engine = await site.startEngine();
    [consoleApp, gateway, routerCost] = await Promise.all([
      site.startConsole(),
      site.startGateway(engine),
      site.startRouterCost(),
      createAdmin(database.urlFor('console'), name, ADMIN),
    ]);
  });

  afterAll(async () => {
    await site?.stop();
    await database?.drop();
  });

  const read = <T>(path: string) => consoleBody<T>(consoleApp.url, 'GET', path, { token });
  const since = () => encodeURIComponent(new Date(Date.now() - DAY_MILLIS).toISOString());

  function expectedCost(model?: string): Cost {
    const costs = calls
      .filter((call) => model === undefined || call.model === model)
      .map((call) => costOf(call.model, call.result, usdRate));
    return {
      picos: sum(costs.map((cost) => cost.picos)),
      usdPicos: sum(costs.map((cost) => cost.usdPicos)),
      tokens: sum(costs.map((cost) => cost.tokens)),
    };
  }

  /** Expects the same figures in usage, transactions, balance and cost report. */
  async function expectSameEverywhere(): Promise<void> {
    const expected = expectedCost();
    const { usage } = await read<{ usage: UsageRow[] }>(`/api/billing/usage?from=${since()}`);
    expect(sum(usage.map(({ cost }) => picos(cost)))).toBe(expected.picos);
    for (const { slug, unit, price } of PRICES) {
      const rows = usage.filter((row) => row.model === slug && row.unit === unit);
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) {
        // Six decimals each, so that the product has twelve.
        const product = decimalToPicos(String(row.quantity), 6) * decimalToPicos(price, 6);
        expect(picos(row.cost)).toBe(product / 10n ** 12n);
        expect(row.currency).toBe(currency);
      }
    }
    const settings = await read<{ balance: unknown; currency: string }>('/api/billing/settings');
    expect(picos(settings.balance)).toBe(picos(CREDIT) - expected.picos);
    expect(settings.currency).toBe(currency);

    const from = new Date(Date.now() - DAY_MILLIS).toISOString();
    const credentials: Record<string, string>[] = [{ Authorization: `Bearer ${apiKey}` }, { Cookie: cookie }];
    for (const headers of credentials) {
      const [total] = await readRouterCost(routerCost.url, headers, { from });
      expect(total).toEqual({ costUsdPicos: expected.usdPicos, tokens: expected.tokens });
      const byModel = await readRouterCost(routerCost.url, headers, { from, group_by: 'model,entrypoint' });
      const wanted = [SPLIT_MODEL, COMBINED_MODEL].map((model) => {
        const { usdPicos: costUsdPicos, tokens } = expectedCost(model);
        return { model, entrypoint: 'gateway', costUsdPicos, tokens };
      });
      expect(byModel).toHaveLength(wanted.length);
      expect(byModel).toEqual(expect.arrayContaining(wanted));
    }
  }

  test('an administrator publishes prices', async () => {
    const { token: adminToken } = await consoleBody<{ token: string }>(
      consoleApp.url,
      'POST',
      '/api/auth/login',
      {
        json: { identifier: ADMIN.email, password: ADMIN.password },
      },
    );
    const put = (path: string, json: unknown) =>
      consoleBody(consoleApp.url, 'PUT', path, { token: adminToken, json });
    await put('/api/admin/billing/pricing/models', { models: PRICES });
    if (name === 'cn') {
      const date = new Date().toISOString().slice(0, 10);
      await put('/api/admin/billing/exchange-rates', {
        rates: [{ date, usd_per_unit: Number(USD_PER_YUAN) }],
      });
    }
    const { models } = await consoleBody<{ models: object[] }>(consoleApp.url, 'GET', '/api/pricing');
    expect(models).toHaveLength(PRICES.length);
  });

  test('a customer registers, logs in, receives credit and creates an API key', async () => {
    const registered = await askConsole(consoleApp.url, 'POST', '/api/auth/register', { json: CUSTOMER });
    expect(registered.status).toBe(201);
    const login = await askConsole(consoleApp.url, 'POST', '/api/auth/login', {
      json: { identifier: CUSTOMER.email, password: CUSTOMER.password },
    });
    expect(login.status).toBe(200);
    const session = login.body as { token: string; user: { id: string; email: string } };
    token = session.token;
    cookie = login.cookie!;
    expect(await read('/api/auth/me')).toMatchObject({ id: session.user.id, email: CUSTOMER.email });

    const admin = await consoleBody<{ token: string }>(consoleApp.url, 'POST', '/api/auth/login', {
      json: { identifier: ADMIN.email, password: ADMIN.password },
    });
    await consoleBody(consoleApp.url, 'POST', '/api/admin/billing/adjustments', {
      token: admin.token,
      json: { account_id: session.user.id, amount: CREDIT, description: 'Credit' },
      status: 201,
    });
    const created = await consoleBody<{ key: string; prefix: string }>(
      consoleApp.url,
      'POST',
      '/api/api-keys',
      {
        token,
        json: { name: 'my first key' },
        status: 201,
      },
    );
    apiKey = created.key;
    expect(apiKey.startsWith('bfvk-')).toBe(true);
    const listed = await read<{ api_keys: object[] }>('/api/api-keys');
    expect(listed.api_keys).toMatchObject([{ prefix: created.prefix }]);
    expect(JSON.stringify(listed)).not.toContain(apiKey);
  });

  test('the official SDK works, with and without streaming', async () => {
    const client = sdkClient(gateway.url, apiKey);
    for (const model of [SPLIT_MODEL, COMBINED_MODEL]) {
      const request = {
        model,
        messages: [{ role: 'user' as const, content: 'What does this cost?' }],
        max_tokens: 37,
      };
      calls.push({ model, result: await sdkChat(client, request) });
      const stream = await sdkStream(client, { ...request, stream_options: { include_usage: true } });
      calls.push({ model, result: stream });
    }
    for (const { result } of calls) {
      expect(result).toMatchObject({ status: 200, complete: true, usage: { outputTokens: 37 } });
    }
  });

  test('usage, balance and cost report show the same cost at once', async () => {
    const events = await readEvents(database.pool);
    expect([...events.keys()].sort()).toEqual(calls.map(({ result }) => result.requestId).sort());
    await expectSameEverywhere();
    const { transactions } = await read<{ transactions: Transaction[] }>('/api/billing/transactions');
    expect(transactions).toMatchObject([{ type: 'adjustment', currency }]);
  });

  test('transactions show the same cost after the hour is closed', async () => {
    await closeHours(database.pool);
    await expectSameEverywhere();
    const path = '/api/billing/transactions';
    const { transactions } = await read<{ transactions: Transaction[] }>(path);
    const usage = transactions.filter(({ type }) => type === 'usage');
    expect(sum(usage.map(({ amount }) => picos(amount)))).toBe(-expectedCost().picos);
    for (const { created_at: at } of usage) expect(at).toMatch(/:00:00\.000Z$/);
    const { balance } = await read<{ balance: unknown }>('/api/billing/settings');
    expect(sum(transactions.map(({ amount }) => picos(amount)))).toBe(picos(balance));
    const again = await read<{ transactions: Transaction[] }>(path);
    expect(again).toEqual({ transactions, next_cursor: null });
    expect(await runReconcile(database)).toContain('no difference');
  });
});
