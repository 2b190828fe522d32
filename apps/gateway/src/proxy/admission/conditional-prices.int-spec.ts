import { parseExact, picosToDecimal } from '@inference/money';
import { publishPrices, type TestAccount, type TestPrice, waitFor } from '@inference/testing';
import { TestSite } from '../../testing/gateway.fixture';

const HOUR_MILLIS = 60 * 60_000;
const BODY = {
  model: 'sandbox-chat+tokens=8',
  messages: [{ role: 'user', content: 'Hello' }],
  max_tokens: 16,
};

/** A daily window of UTC that begins and ends so many hours from now. */
const hours = (from: number, to: number) =>
  [from, to].map((hour) => new Date(Date.now() + hour * HOUR_MILLIS).toISOString().slice(11, 16)).join('-');

const NOW = hours(-1, 1);
const price = (
  unit: TestPrice['unit'],
  ratePicos: bigint,
  conditions: Partial<TestPrice> = {},
): TestPrice => ({
  slug: BODY.model,
  unit,
  ratePicos,
  ...conditions,
});
const PRICES = [
  price('per_million_input_tokens', 10n),
  price('per_million_input_tokens', 12n, { minInputTokens: 1 }),
  price('per_million_input_tokens', 50n, { minInputTokens: 1_000_000 }),
  price('per_million_cache_write_1h_tokens', 40n),
  price('per_million_output_tokens', 20n),
  price('per_million_output_tokens', 5n, { hours: NOW }),
  price('per_million_output_tokens', 90n, { hours: hours(2, 3) }),
  price('per_request', 7n),
];

let site: TestSite;

beforeAll(async () => {
  site = await TestSite.start({});
  await publishPrices(site.pool, PRICES);
});
afterAll(() => site.stop());

const chat = async ({ apiKey }: TestAccount) => {
  const answer = await site.post('/v1/chat/completions', apiKey, BODY);
  const { usage } = (await answer.json()) as { usage?: { prompt_tokens: number; completion_tokens: number } };
  return { status: answer.status, usage };
};
const worstCase = async ({ apiKey }: TestAccount) => {
  const answer = await site.post('/v1/chat/completions/estimate', apiKey, BODY);
  return parseExact(await answer.text()) as { worst_case: unknown; input_tokens: number };
};
const costsOf = async ({ accountId }: TestAccount) => {
  const { rows } = await site.pool.query<{ cost: bigint; lines: Record<string, unknown>[] }>(
    'SELECT cost_picos AS cost, lines FROM metering.usage_events WHERE account_id = $1 ORDER BY occurred_at',
    [accountId],
  );
  return rows;
};

it('are charged when they hold, and the dearest that can be reached is reserved', async () => {
  const bytes = BigInt(JSON.stringify(BODY).length);
  const bound = bytes * 40n + 16n * 20n + 7n;
  const enough = await site.account(bound);
  expect(String((await worstCase(enough)).worst_case)).toBe(picosToDecimal(bound));
  expect((await chat(await site.account(bound - 1n))).status).toBe(402);
  const { status, usage } = await chat(enough);
  expect([status, usage?.completion_tokens]).toEqual([200, 8]);
  const input = BigInt(usage!.prompt_tokens);
  const cost = input * 12n + 8n * 5n + 7n;
  const line = (
    meter: string,
    unit: string,
    quantity: bigint,
    rate: bigint,
    place: number,
    conditions: object | null,
  ) => ({
    ...{ meter, unit, quantity: String(quantity), tokens: String(meter === 'request' ? 0n : quantity) },
    ...{ rate_picos: String(rate), conditions, price: place },
    ...{ cost_picos: String(quantity * rate), cost_usd_picos: String(quantity * rate) },
  });
  expect(await costsOf(enough)).toEqual([
    {
      cost,
      lines: [
        line('input', 'per_million_input_tokens', input, 12n, 2, { min_input_tokens: 1 }),
        line('output', 'per_million_output_tokens', 8n, 5n, 6, { hours: NOW }),
        line('request', 'per_request', 1n, 7n, 8, null),
      ],
    },
  ]);
  await site.expectCharged(enough, cost, bound);
});

it('become effective without another list', async () => {
  const effectiveFrom = new Date(Date.now() + 3_000);
  const list = await publishPrices(site.pool, [
    price('per_request', 7n),
    price('per_request', 9n, { effectiveFrom }),
  ]);
  const of = await site.account(1_000_000n);
  await waitFor(async () => {
    await chat(of);
    return (await costsOf(of)).at(-1)!.cost === 9n;
  });
  // On a slow machine no call may have been early. One may have come before the gateway had heard of the list.
  const { rows } = await site.pool.query(
    `SELECT DISTINCT cost_picos AS cost, started_at >= $2 AS later FROM metering.usage_events
     WHERE account_id = $1 AND price_list_id = $3 ORDER BY 1`,
    [of.accountId, effectiveFrom, list],
  );
  const [early, late] = rows.length === 2 ? rows : [undefined, rows[0]];
  if (early) expect(early).toEqual({ cost: 7n, later: false });
  expect(late).toEqual({ cost: 9n, later: true });
});
