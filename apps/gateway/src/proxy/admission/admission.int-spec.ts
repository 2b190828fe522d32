import { type UnitRate } from '@inference/metering';
import { picosToDecimal } from '@inference/money';
import { insertAccount, insertApiKey, type TestAccount, waitFor } from '@inference/testing';
import { postTransfer } from '@inference/wallet';
import OpenAI from 'openai';
import {
  costOf,
  eventsOf,
  type Gateway,
  PLENTY,
  publish,
  RATES,
  startGateway,
  testEnvironment,
  TestSite,
  UNITY,
} from '../../testing/gateway.fixture';

/** Admission of requests: wallet, key limits, models, entrypoints and prices. */

const FREE: UnitRate[] = [{ unit: 'per_million_tokens', ratePicos: 0n }];
/** With `max_tokens` the maximum cost equals the cost, so the number of requests that fit does not depend on their order. */
const OUTPUT_ONLY: UnitRate[] = [{ unit: 'per_million_output_tokens', ratePicos: 600_000n }];
const INPUT: UnitRate = { unit: 'per_million_input_tokens', ratePicos: 1n };
const FREE_OUTPUT: UnitRate = { unit: 'per_million_output_tokens', ratePicos: 0n };
const REQUEST: UnitRate = { unit: 'per_request', ratePicos: 1n };
const LATE = 'sandbox-chat+first-delay=600';
const LATE_OUTPUT_ONLY = 'sandbox-chat+first-delay=300';
const MODELS = {
  'sandbox-chat': RATES,
  'sandbox-mini': RATES,
  'sandbox-mini+tokens=3': FREE,
  [LATE]: RATES,
  [LATE_OUTPUT_ONLY]: OUTPUT_ONLY,
  'sandbox-embed': [INPUT],
  'sandbox-mini+tokens=1': [INPUT, REQUEST],
  'sandbox-mini+tokens=2': [INPUT, FREE_OUTPUT],
  'sandbox-mini+tokens=4': [REQUEST],
};
const PROMPT = [{ role: 'user' as const, content: 'Say something about the sea.' }];
const PROMPT_TOKENS = 9;
const BODY = { model: 'sandbox-chat', messages: PROMPT, max_tokens: 8 };
const COST = costOf(RATES, PROMPT_TOKENS, 8);
const BOUND = costOf(RATES, Buffer.byteLength(JSON.stringify(BODY)), 8);

let site: TestSite;

beforeAll(async () => {
  site = await TestSite.start(MODELS);
});
afterAll(() => site.stop());

const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${site.gateway.url}/v1`, maxRetries: 0 });
const chat = (apiKey: string, overrides: object = {}, headers: Record<string, string> = {}) =>
  clientOf(apiKey).chat.completions.create(
    { ...BODY, ...overrides } as OpenAI.ChatCompletionCreateParamsNonStreaming,
    { headers },
  );

/** Returns the error that the SDK throws. */
async function refusal(request: Promise<unknown>) {
  const error: unknown = await request.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(OpenAI.APIError);
  const { status, code, type, param } = error as InstanceType<typeof OpenAI.APIError>;
  return { status, code, type, param };
}

describe('a wallet', () => {
  const INSUFFICIENT = { status: 402, code: 'insufficient_balance', type: 'insufficient_quota', param: null };

  it('must cover the maximum cost, to the pico', async () => {
    const poor = await site.account(BOUND - 1n);
    expect(await refusal(chat(poor.apiKey))).toEqual(INSUFFICIENT);
    expect(await refusal(chat(poor.apiKey, { stream: true }))).toEqual(INSUFFICIENT);
    const enough = await site.account(BOUND);
    expect((await chat(enough.apiKey)).usage!.completion_tokens).toBe(8);
    await site.expectCharged(enough, COST, BOUND);
    await site.expectCharged(poor, 0n, BOUND - 1n);
  });

  it('is told what is missing, and where to top it up', async () => {
    const poor = await site.account(BOUND - 1n);
    const error = (await chat(poor.apiKey).then(
      () => null,
      (reason: unknown) => reason,
    )) as InstanceType<typeof OpenAI.APIError>;
    expect(error.error).toMatchObject({
      code: 'insufficient_balance',
      available_amount: picosToDecimal(BOUND - 1n),
      required_amount: picosToDecimal(BOUND),
      missing_amount: '0.000000000001',
      currency: 'USD',
      top_up_url: 'https://console.test/top-up?amount=0.01',
    });
    expect(error.message).toContain(
      `has ${picosToDecimal(BOUND - 1n)} USD free, but this request can cost up to ${picosToDecimal(BOUND)} USD`,
    );
  });

  it('an empty wallet allows free models', async () => {
    const empty = await site.account(0n);
    expect(await refusal(chat(empty.apiKey))).toEqual(INSUFFICIENT);
    const answer = await chat(empty.apiKey, { model: 'sandbox-mini+tokens=3' });
    expect(answer.usage!.completion_tokens).toBe(3);
    expect(await eventsOf(site.pool, empty.accountId)).toMatchObject([
      { model: 'sandbox-mini+tokens=3', output_tokens: 3n, cost_picos: 0n },
    ]);
    await site.expectCharged(empty, 0n, 0n);
  });

  it('is not overdrawn by concurrent requests', async () => {
    const affordable = 10;
    const cost = costOf(OUTPUT_ONLY, PROMPT_TOKENS, 8);
    const of = await site.account(BigInt(affordable) * cost);
    const attempts = await Promise.allSettled(
      Array.from({ length: 60 }, () => chat(of.apiKey, { model: LATE_OUTPUT_ONLY })),
    );
    const served = attempts.filter(({ status }) => status === 'fulfilled').length;
    expect(served).toBeGreaterThan(0);
    expect(served).toBeLessThanOrEqual(affordable);
    for (const attempt of attempts)
      if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ status: 402 });
    await site.expectCharged(of, BigInt(served) * cost, BigInt(affordable) * cost);
  });

  it('a top-up can be used at once', async () => {
    const of = await site.account(BOUND);
    await chat(of.apiKey);
    expect(await refusal(chat(of.apiKey))).toEqual(INSUFFICIENT);
    await site.pool.transaction((transaction) =>
      postTransfer(transaction, {
        kind: 'adjustment',
        accountId: of.accountId,
        amountPicos: BOUND,
        counterpart: 'equity:adjustments',
        reference: `top-up:${of.accountId}`,
        description: 'Top-up',
      }),
    );
    await chat(of.apiKey);
    await site.expectCharged(of, 2n * COST, 2n * BOUND);
  });
});

describe('a key', () => {
  it('a key is refused beyond its spending limit, and other keys are not', async () => {
    const of = await site.account();
    const limited = await insertApiKey(site.pool, of.accountId, { spendLimitPicos: BOUND + COST });
    await chat(limited.apiKey);
    await chat(limited.apiKey);
    expect(await refusal(chat(limited.apiKey))).toEqual({
      status: 402,
      code: 'key_spend_limit_reached',
      type: 'insufficient_quota',
      param: null,
    });
    await chat(of.apiKey);
    await site.expectCharged(of, 3n * COST);
    const { rows } = await site.pool.query<{ spent_picos: bigint }>(
      'SELECT spent_picos FROM wallet.key_spending WHERE api_key_id = $1',
      [limited.apiKeyId],
    );
    expect(rows[0]!.spent_picos).toBe(2n * COST);
  });

  it('a key with a list of models may use and list only those', async () => {
    const { accountId } = await site.account();
    const { apiKey } = await insertApiKey(site.pool, accountId, {
      allowedModels: ['sandbox-mini', 'unpriced'],
    });
    await chat(apiKey, { model: 'sandbox-mini' });
    expect(await refusal(chat(apiKey))).toEqual({
      status: 403,
      code: 'model_not_allowed',
      type: 'permission_error',
      param: 'model',
    });
    const list = await clientOf(apiKey).models.list();
    expect(list.data.map(({ id }) => id)).toEqual(['sandbox-mini']);
    expect(await refusal(clientOf(apiKey).models.retrieve('sandbox-chat'))).toMatchObject({ status: 404 });
  });
});

describe('a model', () => {
  it.each(['unpriced', 'sandbox-chat ', 'SANDBOX-CHAT', '__proto__', '\ud800', 'é'.repeat(200)])(
    'a model without a price does not exist: %j',
    async (model) => {
      const of = await site.account();
      expect(await refusal(chat(of.apiKey, { model }))).toEqual({
        status: 404,
        code: 'model_not_found',
        type: 'invalid_request_error',
        param: 'model',
      });
    },
  );
});

describe('the price of the output', () => {
  it.each(['sandbox-embed', 'sandbox-mini+tokens=1'])(
    'is needed for chat and completions: %s has none',
    async (model) => {
      const of = await site.account();
      const client = clientOf(of.apiKey);
      const missing = { status: 404, code: 'model_not_found', type: 'invalid_request_error', param: 'model' };
      expect(await refusal(chat(of.apiKey, { model }))).toEqual(missing);
      expect(await refusal(client.completions.create({ model, prompt: 'Say' }))).toEqual(missing);
      await expect(chat(of.apiKey, { model })).rejects.toThrow(
        `The model \`${model}\` has no price of its output`,
      );
      await site.expectCharged(of, 0n);
      expect((await client.models.retrieve(model)).id).toBe(model);
    },
  );

  it('is not needed for embeddings', async () => {
    const { apiKey } = await site.account();
    const { data } = await clientOf(apiKey).embeddings.create({ model: 'sandbox-embed', input: 'Say' });
    expect(data).toHaveLength(1);
  });

  it.each(['sandbox-mini+tokens=2', 'sandbox-mini+tokens=4'])(
    'may be 0 or in each request: %s',
    async (model) => {
      const of = await site.account();
      expect((await chat(of.apiKey, { model })).usage!.completion_tokens).toBe(model.endsWith('2') ? 2 : 4);
    },
  );
});

describe('the entrypoint', () => {
  it.each(['ci', 'nightly-job_2.0', 'a'.repeat(64), 'gateway'])('%s is stored', async (entrypoint) => {
    const of = await site.account();
    await chat(of.apiKey, {}, { 'X-Entrypoint': entrypoint });
    expect(await eventsOf(site.pool, of.accountId)).toMatchObject([{ entrypoint }]);
    const { rows } = await site.pool.query(
      'SELECT DISTINCT entrypoint FROM metering.hourly_usage WHERE account_id = $1',
      [of.accountId],
    );
    expect(rows).toEqual([{ entrypoint }]);
  });

  it.each(['', 'CI', 'a b', 'a'.repeat(65), 'a/b', 'é', 'ci, ci'])('%j is refused', async (entrypoint) => {
    const of = await site.account();
    const refused = await refusal(chat(of.apiKey, {}, { 'X-Entrypoint': entrypoint }));
    expect(refused).toMatchObject({ status: 400, code: 'invalid_header', param: 'X-Entrypoint' });
  });

  it.each(['agent', 'memo', 'console'])('%s is refused for customers', async (entrypoint) => {
    const of = await site.account();
    const refused = await refusal(chat(of.apiKey, {}, { 'X-Entrypoint': entrypoint }));
    expect(refused).toMatchObject({ status: 403, code: 'reserved_entrypoint' });
    await site.expectCharged(of, 0n);
  });
});

describe('the price', () => {
  it('is the one in force at the start of the request', async () => {
    const of = await site.account();
    const { rows } = await site.pool.query<{ id: bigint }>('SELECT max(id) AS id FROM pricing.price_lists');
    const before = site.engine.served().requests;
    const slow = chat(of.apiKey, { model: LATE });
    await waitFor(() => site.engine.served().requests > before);
    const dearer = RATES.map((rate) => ({ ...rate, ratePicos: rate.ratePicos * 3n }));
    const newList = await publish(site.pool, {
      ...MODELS,
      [LATE]: dearer,
      'sandbox-chat': dearer,
      marker: FREE,
    });
    await waitFor(async () =>
      (await clientOf(of.apiKey).models.list()).data.some(({ id }) => id === 'marker'),
    );
    const after = await chat(of.apiKey);
    await slow;
    const events = await eventsOf(site.pool, of.accountId);
    expect(new Map(events.map((event) => [event.model, [event.price_list_id, event.cost_picos]]))).toEqual(
      new Map([
        [LATE, [rows[0]!.id, COST]],
        ['sandbox-chat', [newList, 3n * COST]],
      ]),
    );
    expect(after.usage!.completion_tokens).toBe(8);
    await site.expectCharged(of, 4n * COST);
    await publish(site.pool, MODELS);
    await waitFor(async () =>
      (await clientOf(of.apiKey).models.list()).data.every(({ id }) => id !== 'marker'),
    );
  });
});

describe('the site cn', () => {
  let cn: Gateway;
  let of: TestAccount;

  beforeAll(async () => {
    const upstreams = [{ name: 'engine', base_url: `${site.engine.url}/v1` }];
    cn = await startGateway({ ...testEnvironment(site.database.urlFor('gateway'), upstreams), SITE: 'cn' });
    of = await insertAccount(site.pool, { balancePicos: PLENTY, currency: 'CNY' });
  });
  afterAll(() => cn.close());

  const ask = () =>
    new OpenAI({ apiKey: of.apiKey, baseURL: `${cn.url}/v1`, maxRetries: 0 }).chat.completions.create(BODY);

  it('refuses requests without an exchange rate, and records the cost in USD with one', async () => {
    const rate = (day: string, value: string) =>
      site.pool.query(`INSERT INTO pricing.exchange_rates (day, usd_per_unit) VALUES (${day}, $1)`, [value]);
    await rate(`(now() AT TIME ZONE 'UTC')::date + 2`, '0.5');
    expect(await refusal(ask())).toEqual({
      status: 503,
      code: 'exchange_rate_missing',
      type: 'server_error',
      param: null,
    });
    await rate(`(now() AT TIME ZONE 'UTC')::date - 3`, '0.1391234567');
    await waitFor(() => ask().catch(() => null));
    const events = await eventsOf(site.pool, of.accountId);
    expect(events).toHaveLength(1);
    const rounded = (picos: bigint) => (picos * 1_391_234_567n + UNITY / 2n) / UNITY;
    expect(events[0]).toMatchObject({
      usd_per_unit: '0.1391234567',
      cost_picos: COST,
      cost_usd_picos: rounded(BigInt(PROMPT_TOKENS) * 150_000n) + rounded(8n * 600_000n),
    });
    await site.expectCharged(of, COST);
  });
});
