import { insertApiKey, type TestAccount, waitFor } from '@inference/testing';
import { AgentSite, CONSOLE_CREDENTIALS, Customer, textOf } from '../agent.fixture';
import { type EventResponse } from '../events/event.response';

const STATUSES = [429, 500, 503];
const named = (behaviour: string) => `sandbox-chat+${behaviour}`;
const SLOW_REFUSAL = named('first-delay-2500+error-mid-0');
const SLOW = named('tokens-40+delay-50');
const MODELS = [
  ...STATUSES.map((status) => named(`status-${status}`)),
  ...['fail-before', 'hang', 'fail-mid-5', 'error-mid-5', 'end-mid-5', 'malformed-5', 'tokens-0'].map(named),
  SLOW_REFUSAL,
  SLOW,
];

let site: AgentSite;
let account: TestAccount;
let customer: Customer;
let count = 0;

beforeAll(async () => {
  site = await AgentSite.start({ models: MODELS });
  account = await site.account();
  customer = new Customer(site.url, account.apiKey);
});
afterAll(() => site?.stop());

const USER = { role: 'user', content: 'Hello' };

async function newSession(model: string, of = customer): Promise<string> {
  const id = `refusals-${++count}`;
  await of.json('POST', '', { id, model }, 201);
  return id;
}

interface Refused {
  error: string;
  code: string;
  turn_id: string;
}

async function refusedEvent(
  of: Customer,
  id: string,
  status: number,
  path = 'events/stream',
): Promise<Refused> {
  const response = await of.call('POST', `/${id}/${path}`, USER);
  const text = await response.text();
  expect([response.status, text]).toEqual([status, expect.any(String)]);
  expect(response.headers.get('content-type')).toContain('application/json');
  return JSON.parse(text) as Refused;
}

const usageEvents = async ({ accountId }: TestAccount) =>
  (
    await site.pool.query(
      'SELECT outcome, entrypoint, api_key_id FROM metering.usage_events WHERE account_id = $1',
      [accountId],
    )
  ).rows;

describe('refusals of the gateway before the request is answered', () => {
  it.each(['events', 'events/stream'])('402 when the wallet does not cover the call: %s', async (path) => {
    const poor = await site.account(0n);
    const of = new Customer(site.url, poor.apiKey);
    const id = await newSession('sandbox-chat', of);
    expect(await refusedEvent(of, id, 402, path)).toMatchObject({
      code: 'insufficient_balance',
      missing_amount: expect.stringMatching(/^0[.]\d+$/) as string,
    });
    const events = await of.events(id);
    expect(events).toMatchObject([
      { seq: 1, role: 'user', status: 'failed' },
      {
        seq: 2,
        type: 'turn.failed',
        content: '',
        status: 'failed',
        error: { code: 'insufficient_balance', message: expect.any(String) as string, retryable: false },
      },
    ]);
    expect(await usageEvents(poor)).toEqual([]);
  });

  it.each(['events', 'events/stream'])(
    '402 when the spending limit of the key does not cover the call: %s',
    async (path) => {
      const { apiKey } = await insertApiKey(site.pool, account.accountId, { spendLimitPicos: 1n });
      const of = new Customer(site.url, apiKey);
      const id = await newSession('sandbox-chat', of);
      expect(await refusedEvent(of, id, 402, path)).toMatchObject({ code: 'key_spend_limit_reached' });
    },
  );

  it('403 when the key does not allow the model', async () => {
    const { apiKey } = await insertApiKey(site.pool, account.accountId, { allowedModels: ['other'] });
    const of = new Customer(site.url, apiKey);
    expect(await refusedEvent(of, await newSession('sandbox-chat', of), 403)).toMatchObject({
      code: 'model_not_allowed',
    });
  });

  it.each(['events', 'events/stream'])('404 when there is no such model: %s', async (path) => {
    expect(await refusedEvent(customer, await newSession('never'), 404, path)).toMatchObject({
      code: 'model_not_found',
    });
  });

  it.each([
    [named('status-429'), 429],
    [named('status-500'), 502],
    [named('status-503'), 503],
    [named('fail-before'), 502],
  ])('%s: %i', async (model, status) => {
    const id = await newSession(model);
    const { turn_id: turnId } = await refusedEvent(customer, id, status);
    expect((await customer.events(id)).at(-1)).toMatchObject({ turn_id: turnId, error: { retryable: true } });
  });

  it('a turn that a limit of its key refuses waits, says so, and goes on', async () => {
    const { apiKey, apiKeyId } = await insertApiKey(site.pool, account.accountId);
    await site.pool.query('UPDATE accounts.api_keys SET max_concurrency = 1 WHERE id = $1', [apiKeyId]);
    const of = new Customer(site.url, apiKey);
    const id = await newSession('sandbox-chat', of);
    // Another gateway runs a call of the key for now.
    await site.pool.query(
      `WITH s AS (INSERT INTO limits.subjects (id, account_id, day, drawn_at) VALUES ('key:' || $1, $2, now(), now()) RETURNING id)
       INSERT INTO limits.slots (subject_id, holder, slots, expires_at) SELECT id, 'other', 1, now() + interval '3 seconds' FROM s`,
      [apiKeyId, account.accountId],
    );
    const response = await of.call('POST', `/${id}/events/stream`, USER);
    expect(response.status).toBe(200);
    const stream = await response.text();
    expect(stream).toContain('event: turn.waiting');
    expect(stream).toContain('"limit":"key_concurrency","retry_after_seconds":1');
    expect(stream.indexOf('event: delta')).toBeGreaterThan(stream.indexOf('event: turn.waiting'));
    expect(stream).toContain('event: turn.completed');
  });

  it('a message beyond the tokens a minute of its key fails, and is not to be sent again', async () => {
    const { apiKey, apiKeyId } = await insertApiKey(site.pool, account.accountId);
    await site.pool.query('UPDATE accounts.api_keys SET tokens_per_minute = 2 WHERE id = $1', [apiKeyId]);
    const of = new Customer(site.url, apiKey);
    const id = await newSession('sandbox-chat', of);
    const response = await of.call('POST', `/${id}/events/stream`, USER);
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBeNull();
    expect(await response.json()).toMatchObject({
      code: 'rate_limit_exceeded',
      limit: 'key_tokens_per_minute',
    });
    expect((await of.events(id)).at(-1)).toMatchObject({ error: { retryable: false } });
  });

  it('passes on Retry-After', async () => {
    const response = await customer.call(
      'POST',
      `/${await newSession(named('status-429'))}/events/stream`,
      USER,
    );
    expect(response.headers.get('retry-after')).toBe('1');
    await response.text();
  });

  it.each(['events', 'events/stream'])(
    'a message that %s refused is not part of the conversation, and its idempotency key can be used again',
    async (path) => {
      const poor = await site.account(0n);
      const of = new Customer(site.url, poor.apiKey);
      const id = await newSession('sandbox-chat', of);
      const key = { 'Idempotency-Key': 'k' };
      expect((await of.call('POST', `/${id}/${path}`, USER, key)).status).toBe(402);
      await site.pool.query('UPDATE wallet.wallets SET balance_picos = 1000000000000 WHERE account_id = $1', [
        poor.accountId,
      ]);
      const streamEvents = await of.sendMessage(id, 'Hello', '', key);
      expect(streamEvents.at(-1)!.event).toBe('turn.completed');
      // One message of one word: the prompt does not contain the first attempt.
      expect((await of.events(id)).at(-1)!.usage!.prompt_tokens).toBe(1 + 4);
    },
  );
});

describe('failures after the stream has begun, or in the background', () => {
  it.each(['fail-mid-5', 'error-mid-5', 'end-mid-5'])(
    '%s: streams the text so far, then an error',
    async (behaviour) => {
      const id = await newSession(named(behaviour));
      const streamEvents = await customer.sendMessage(id, 'Hello');
      expect(streamEvents.at(-1)).toEqual({
        event: 'error',
        id: expect.any(String) as string,
        data: { error: expect.any(String) as string, code: expect.any(String) as string, retryable: true },
      });
      expect(textOf(streamEvents).split(' ').filter(Boolean)).toHaveLength(5);
      expect(await customer.events(id)).toMatchObject([
        { role: 'user', status: 'failed' },
        { type: 'message', role: 'assistant', content: textOf(streamEvents), status: 'incomplete' },
        { type: 'turn.failed', status: 'failed' },
      ]);
    },
  );

  it('skips an event of the model that is not JSON', async () => {
    const streamEvents = await customer.sendMessage(await newSession(named('malformed-5')), 'Hello');
    expect(streamEvents.at(-1)!.event).toBe('turn.completed');
  });

  it('accepts an empty answer', async () => {
    const id = await newSession(named('tokens-0'));
    expect((await customer.sendMessage(id, 'Hello')).map(({ event }) => event)).toEqual([
      'turn.started',
      'turn.completed',
    ]);
    expect((await customer.events(id))[1]).toMatchObject({
      type: 'message',
      content: '',
      status: 'completed',
    });
  });

  it('begins the stream if the gateway does not decide in time', async () => {
    const response = await customer.call('POST', `/${await newSession(SLOW_REFUSAL)}/events/stream`, USER);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('event: error');
  });

  it('answers an event whose gateway does not decide in time, and records the failure', async () => {
    const id = await newSession(SLOW_REFUSAL);
    expect(await customer.json('POST', `/${id}/events`, USER)).toMatchObject({ status: 'running' });
    await waitFor(async () => (await customer.events(id)).length === 2);
    expect((await customer.events(id))[1]).toMatchObject({ type: 'turn.failed', content: '' });
  });

  it('records the refusal of a message that had to wait, and not as a text of the assistant', async () => {
    const { apiKey } = await insertApiKey(site.pool, account.accountId, { spendLimitPicos: 1n });
    const limited = new Customer(site.url, apiKey);
    const id = await newSession(SLOW, limited);
    const onBehalf = { 'X-On-Behalf-Of': account.accountId };
    await new Customer(site.url, CONSOLE_CREDENTIALS[0]!).json('POST', `/${id}/events`, USER, 200, onBehalf);
    const waiting = await limited.json<EventResponse>('POST', `/${id}/events?on_busy=enqueue`, {
      role: 'user',
      content: 'Next',
    });
    expect(waiting.status).toBe('queued');
    const failed = await waitFor(async () =>
      (await customer.events(id)).find(({ type }) => type === 'turn.failed'),
    );
    expect(failed).toMatchObject({
      turn_id: waiting.turn_id,
      content: '',
      error: { code: 'key_spend_limit_reached', message: expect.any(String) as string, retryable: false },
    });
  });

  it('shows no content of a failure that an earlier version stored', async () => {
    const id = await newSession('never');
    await refusedEvent(customer, id, 404);
    await site.pool.query("UPDATE agent.events SET content = 'why' WHERE type = 'turn.failed'");
    const failed = (await customer.events(id))[1]!;
    expect(failed).toMatchObject({ type: 'turn.failed', content: '' });
    expect(await customer.json('GET', `/${id}/events/${failed.id}`)).toEqual(failed);
  });
});

test('a turn is billed once, to the account and key of the caller, with the entrypoint agent', async () => {
  const payer = await site.account();
  const of = new Customer(site.url, payer.apiKey);
  const id = await newSession('sandbox-chat', of);
  await of.sendMessage(id, 'Hello');
  expect(await usageEvents(payer)).toEqual([
    { outcome: 'completed', entrypoint: 'agent', api_key_id: payer.apiKeyId },
  ]);
});

test.each([
  ['deleted', 'key_hash = NULL, deleted_at = now()'],
  ['disabled', 'disabled_at = now()'],
])('a key that is %s does not pay for turns that still wait', async (state, change) => {
  const { apiKeyId, apiKey } = await insertApiKey(site.pool, account.accountId);
  const of = new Customer(site.url, apiKey);
  const id = await newSession('sandbox-chat', of);
  const other = new Customer(site.url, account.apiKey);
  await of.json('POST', `/${id}/events`, USER);
  await waitFor(async () => (await other.events(id)).length === 2);
  await site.pool.query(`UPDATE accounts.api_keys SET ${change} WHERE id = $1`, [apiKeyId]);
  await waitFor(async () => (await of.call('GET', '')).status === 401);
  // A turn that has waited until now.
  await site.pool.query(
    `INSERT INTO agent.turns (id, session_id, number, api_key_id, status) VALUES ($3, $1, 2, $2, 'queued')`,
    [await site.internalIdOf(id), apiKeyId, `turn_${state}`],
  );
  await site.pool.query(`UPDATE agent.turns SET created_at = now() - interval '1 hour' WHERE id = $1`, [
    `turn_${state}`,
  ]);
  await waitFor(async () => (await other.events(id)).length === 3);
  expect((await other.events(id))[2]).toMatchObject({ type: 'turn.failed', error: { code: 'api_key_gone' } });
});

test('503 if the gateway rejects the credential of the service', async () => {
  const replica = await site.startReplica({ GATEWAY_CREDENTIAL: 'x'.repeat(40) });
  const of = new Customer(replica.url, account.apiKey);
  const id = await newSession('sandbox-chat', of);
  expect(await refusedEvent(of, id, 503)).toMatchObject({ code: 'gateway_unavailable' });
  await replica.close();
});

test('503 if the gateway cannot be reached', async () => {
  const replica = await site.startReplica({ GATEWAY_URL: 'http://127.0.0.1:9' });
  const of = new Customer(replica.url, account.apiKey);
  const id = await newSession('sandbox-chat', of);
  await refusedEvent(of, id, 503);
  await replica.close();
});

test('504 if the model sends nothing for too long', async () => {
  const replica = await site.startReplica({ MODEL_SILENCE_TIMEOUT_SECONDS: '1' });
  const of = new Customer(replica.url, account.apiKey);
  const id = await newSession(named('hang'), of);
  expect(await refusedEvent(of, id, 504)).toMatchObject({ code: 'model_timeout' });
  await replica.close();
});

test('beyond the limit of running turns, streams get 503 and posted events wait', async () => {
  const replica = await site.startReplica({ MAX_RUNNING_TURNS: '1' });
  const of = new Customer(replica.url, account.apiKey);
  const [first, second] = [await newSession(named('hang'), of), await newSession('sandbox-chat', of)];
  const hanging = of.call('POST', `/${first}/events/stream`, USER);
  await waitFor(async () => (await of.events(first)).length === 1);
  const refused = await of.call('POST', `/${second}/events/stream`, USER);
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await of.events(second)).toEqual([]);
  expect(await of.json('POST', `/${second}/events`, USER)).toMatchObject({ status: 'queued' });
  await of.json('POST', `/${first}/cancel`);
  await (await hanging).text();
  await replica.close();
});
