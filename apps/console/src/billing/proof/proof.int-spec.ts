import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { parse } from 'lossless-json';
import { exactNumber, picosToDecimal, stringifyExact } from '@inference/money';
import { ScriptedService } from '../../inference/scripted-service.fixture';
import { type SignedIn, TestSite } from '../../testing/console.fixture';
import { PARTITION, RATES, settleAt, type Used, type Window } from '../usage/usage.fixture';

const CREDENTIAL = randomBytes(24).toString('hex');
const PATH = '/api/billing/proof';
const DAY = 'from=2025-03-29&to=2025-03-30';
const WINDOW: Window = { timeZone: 'UTC', start: Date.parse('2025-03-29T00:00:00Z') };
const MICROS_PER_HOUR = 3_600_000_000;
const OPENING_PICOS = 10n ** 15n;
const RUNS = 15;

let routerCost: ScriptedService;
let site: TestSite;
let account: SignedIn;

beforeAll(async () => {
  routerCost = await ScriptedService.start();
  site = await TestSite.start({
    ROUTER_COST_CREDENTIAL: CREDENTIAL,
    INTERNAL_ROUTER_URL: `${routerCost.url}/base/`,
  });
  await site.database.pool.query(PARTITION);
});
beforeEach(async () => {
  account = await site.signedIn('user', OPENING_PICOS);
  reportsEvents();
});
afterAll(async () => {
  await site?.stop();
  routerCost?.close();
});

/** The report is the sum of the account's events, which the console does not read for a proof. */
function reportsEvents() {
  routerCost.answers(async ({ url, headers }, response) => {
    const query = new URL(url, routerCost.url).searchParams;
    const { rows } = await site.database.pool.query<{ cost: bigint }>(
      `SELECT coalesce(sum(cost_usd_picos), 0)::numeric AS cost FROM metering.usage_events
       WHERE account_id = $1 AND occurred_at >= $2 AND occurred_at < $3`,
      [headers['x-on-behalf-of'], query.get('from'), query.get('to')],
    );
    const cost = exactNumber(picosToDecimal(BigInt(rows[0]!.cost)));
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(stringifyExact({ items: [{ cost_usd: cost, tokens: 1 }], next_cursor: null }));
  });
}

const settle = (used: Partial<Used>, of = account) =>
  settleAt(site.database, of, WINDOW, { model: 'chat', inputTokens: 10, outputTokens: 20, at: 0, ...used });
const ask = (query = DAY, token: string | undefined = account.token) =>
  site.console.request('GET', `${PATH}?${query}`, token === undefined ? {} : { token });
async function proof(query?: string): Promise<Record<string, unknown>> {
  const { status, text } = await ask(query);
  expect([status, text]).toEqual([200, expect.any(String)]);
  return parse(text, undefined, String) as Record<string, unknown>;
}

const AGREED = {
  transactions_difference: '0',
  router_cost_difference_usd: '0',
  router_cost_state: 'compared',
};

describe('the proof of a closed period', () => {
  it('has three equal sums, with every digit', async () => {
    await settle({});
    await settle({ model: 'embed', at: 5 * MICROS_PER_HOUR });
    // 10 × 150,001 + 20 × 600,007 + 30 × 7 picos.
    const cost = '0.00001350036';
    expect(await proof()).toEqual({
      ...AGREED,
      from: '2025-03-29T00:00:00.000Z',
      to: '2025-03-30T00:00:00.000Z',
      currency: 'USD',
      usage: cost,
      uncompared_usage: '0',
      transactions: cost,
      usage_usd: cost,
      router_cost_usd: cost,
    });
    const [request] = routerCost.requests;
    expect(request).toMatchObject({
      method: 'GET',
      url: expect.stringMatching(/^\/base\/v1\/router\/cost\?from=2025-03-29T00%3A00%3A00\.000Z/) as string,
      headers: { authorization: `Bearer ${CREDENTIAL}`, 'x-on-behalf-of': account.accountId },
    });
  });

  it('agrees after any usage of several accounts', async () => {
    const used = fc.record({
      model: fc.constantFrom(...Object.keys(RATES)),
      inputTokens: fc.integer({ min: 0, max: 1_000_000 }),
      outputTokens: fc.integer({ min: 0, max: 1_000_000 }),
      at: fc.integer({ min: 0, max: 30 * MICROS_PER_HOUR }),
      apiKeyId: fc.constantFrom(null, account.apiKeyId),
      entrypoint: fc.constantFrom('gateway', 'agent'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(used, { minLength: 1, maxLength: 6 }), async (calls) => {
        const other = await site.signedIn('user', OPENING_PICOS);
        for (const call of calls) await settle(call);
        await settle(calls[0]!, other);
        const whole = await proof('from=2025-03-28&to=2025-04-01');
        expect(whole).toMatchObject(AGREED);
        expect(whole['usage']).toBe(whole['router_cost_usd']);
        for (const query of [DAY, 'from=2025-03-29T07:00:00Z&to=2025-03-29T19:00:00Z'])
          expect(await proof(query)).toMatchObject(AGREED);
      }),
      { numRuns: RUNS },
    );
  });

  it.each([
    [
      'a row of the rollup',
      'UPDATE metering.hourly_rollup SET cost_picos = cost_picos + 1 WHERE account_id = $1 AND unit = (SELECT min(unit) FROM metering.hourly_rollup)',
      { transactions_difference: '-0.000000000001', router_cost_difference_usd: '-0.000000000001' },
    ],
    [
      'an entry of the ledger',
      `UPDATE wallet.entries SET amount_picos = amount_picos - 1 WHERE ledger_account = 'wallet:' || $1 AND amount_picos < 0`,
      { transactions_difference: '0.000000000001', router_cost_difference_usd: '0' },
    ],
    [
      'an event',
      'UPDATE metering.usage_events SET cost_usd_picos = cost_usd_picos + 1 WHERE account_id = $1',
      { transactions_difference: '0', router_cost_difference_usd: '0.000000000001' },
    ],
  ])('shows the difference of one pico if %s was changed', async (_name, sql, difference) => {
    await settle({});
    // Triggers keep the ledger as it is.
    await site.database.pool.query(
      `BEGIN; SET LOCAL session_replication_role = replica; ${sql.replaceAll('$1', `'${account.accountId}'`)}; COMMIT`,
    );
    const shown = await proof();
    expect(shown).toMatchObject(difference);
  });

  it('compares whole hours only, and closed ones', async () => {
    await settle({ at: MICROS_PER_HOUR });
    await settle({ at: MICROS_PER_HOUR / 4 });
    await settle({ at: (MICROS_PER_HOUR * 3) / 4, inputTokens: 1, outputTokens: 0 });
    expect(await proof('from=2025-03-29T00:30:00Z&to=2025-03-29T02:59:59Z')).toMatchObject({
      ...AGREED,
      from: '2025-03-29T01:00:00.000Z',
      to: '2025-03-29T02:00:00.000Z',
      usage: '0.00001350015',
      // 150,001 picos.
      uncompared_usage: '0.000000150001',
    });
    const justNow: Window = { timeZone: 'UTC', start: Date.now() - 1000 };
    const call = { model: 'chat', inputTokens: 1, outputTokens: 0, at: 0 };
    await settleAt(site.database, account, justNow, call);
    const open = await proof(`from=${new Date(justNow.start).toISOString()}`);
    expect(open).toMatchObject({
      ...AGREED,
      from: null,
      to: null,
      usage: '0',
      uncompared_usage: '0.000000150001',
    });
    const { to } = await proof('from=2025-03-29');
    expect(Date.parse(to as string)).toBeLessThanOrEqual(Date.now() - 60_000);
    expect(to).toMatch(/:00:00\.000Z$/);
  });

  it.each([
    [401, '{"error":"no"}'],
    [500, '{"error":"no"}'],
    [200, '{"items":[]}'],
    [200, '{"items":[{"cost_usd":"much"}]}'],
    [200, 'no JSON'],
  ])('compares the other sums if the service answers %d %s', async (status, body) => {
    await settle({});
    routerCost.answers((_request, response) => void response.writeHead(status).end(body));
    expect(await proof()).toMatchObject({
      transactions_difference: '0',
      router_cost_state: 'unavailable',
      router_cost_usd: null,
      router_cost_difference_usd: null,
    });
  });

  it('is refused for an empty period and without a session', async () => {
    expect((await ask('from=2025-03-30&to=2025-03-29')).status).toBe(400);
    expect((await ask('from=yesterday')).status).toBe(400);
    expect((await site.console.request('GET', PATH)).status).toBe(401);
  });

  it('is of the caller only, also if it is an admin', async () => {
    await settle({});
    const admin = await site.signedIn('admin', OPENING_PICOS);
    const { text } = await ask(DAY, admin.token);
    expect(text).toContain('"usage":0,');
    expect(routerCost.requests.at(-1)!.headers['x-on-behalf-of']).toBe(admin.accountId);
  });
});

it('says that a console without the secret does not ask the service', async () => {
  const other = await TestSite.start({ SITE: 'cn' });
  const { token } = await other.signedIn();
  const { body } = await other.console.request('GET', `${PATH}?${DAY}`, { token });
  expect(body).toMatchObject({ currency: 'CNY', router_cost_state: 'not_configured', router_cost_usd: null });
  await other.stop();
});
