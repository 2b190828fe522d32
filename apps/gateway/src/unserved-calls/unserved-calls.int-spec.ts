import { setTimeout as sleep } from 'node:timers/promises';
import { Database, newId } from '@inference/database';
import { Metrics, type RefusedCalls } from '@inference/http';
import { type TestAccount, waitFor } from '@inference/testing';
import { type QueryConfig } from 'pg';
import { Registry } from 'prom-client';
import {
  type DatabaseProxy,
  eventsOf,
  type Gateway,
  RATES,
  startDatabaseProxy,
  startGateway,
  testEnvironment,
  TestSite,
} from '../testing/gateway.fixture';
import { UnchargedCosts } from '../upstreams/uncharged-costs.service';
import { type UpstreamMetrics } from '../upstreams/upstream-metrics';
import { CallNotes } from './call-notes';
import { UnservedCalls } from './unserved-calls.service';

/** What the log of calls holds of those that were refused or have failed, and of served ones beside their usage. */

const MODELS = [
  'sandbox-chat',
  'sandbox-chat+status=500',
  'sandbox-chat+status=422',
  'sandbox-chat+fail-mid=0',
  'sandbox-chat+fail-mid=4',
  'sandbox-chat+first-delay=300',
];
const PROMPT = 'a prompt that stands in no log';
const MOST_PER_MINUTE = 600;
/** Of the 700 calls beyond each hundredth is recorded. */
const SAMPLED_BEYOND = 7;
const MOST_IN_ALL_PER_MINUTE = 3_000;
/** Longer than the pause between two attempts to write. */
const OUTAGE_MILLIS = 1_000;

interface Stored {
  request_id: string;
  account_id: string;
  api_key_id: string | null;
  model: string | null;
  entrypoint: string;
  endpoint: string;
  kind: string;
  http_status: number;
  error_code: string;
  upstream: string | null;
  duration_ms: number;
  time_to_first_byte_ms: number | null;
}

let site: TestSite;
let account: TestAccount;

beforeAll(async () => {
  site = await TestSite.start(Object.fromEntries(MODELS.map((slug) => [slug, RATES])));
});
beforeEach(async () => (account = await site.account()));
afterAll(() => site.stop());

async function storedOf({ accountId }: TestAccount): Promise<Stored[]> {
  const { rows } = await site.pool.query<Stored>(
    'SELECT * FROM metering.unserved_calls WHERE account_id = $1 ORDER BY occurred_at, request_id',
    [accountId],
  );
  return rows;
}
async function onlyStoredOf(of: TestAccount): Promise<Stored> {
  const rows = await waitFor(async () => {
    const found = await storedOf(of);
    return found.length > 0 && found;
  });
  expect(rows).toHaveLength(1);
  return rows[0]!;
}
const bodyOf = (model: string, more: object = {}) => ({
  model,
  messages: [{ role: 'user', content: PROMPT }],
  max_tokens: 8,
  ...more,
});
const chat = (model: string, more: object = {}, { apiKey } = account, headers = {}) =>
  site.post('/v1/chat/completions', apiKey, bodyOf(model, more), { headers });
const metric = async (outcome: string) => {
  const { values } = await site.gateway.app
    .get(Metrics)
    .registry.getSingleMetric('gateway_unserved_calls_total')!
    .get();
  return values.find(({ labels }) => labels.outcome === outcome)!.value;
};

describe('the id that a client gives its call', () => {
  /** The stored names of the account's calls, with the calls. */
  const namesOf = async ({ accountId }: TestAccount) => {
    const { rows } = await site.pool.query<{ name: string; id: string; kind: string }>(
      `SELECT n.client_request_id AS name, n.request_id AS id, coalesce(e.outcome, u.kind) AS kind
       FROM metering.client_request_ids n
       LEFT JOIN metering.usage_events e USING (account_id, occurred_at, request_id)
       LEFT JOIN metering.unserved_calls u USING (account_id, occurred_at, request_id)
       WHERE n.account_id = $1 ORDER BY n.occurred_at`,
      [accountId],
    );
    return rows.map(({ name, id, kind }) => [name, id, kind]);
  };
  const idOf = (answer: Response) => answer.headers.get('x-inference-request-id');

  it('is stored with it, served, refused and failed, and not echoed', async () => {
    const expected: unknown[] = [];
    const [own, proxys] = [{ 'X-Client-Request-Id': 'job 1' }, { 'X-Request-Id': '4711' }];
    const calls: [model: string, headers: Record<string, string>, name: string, kind: string][] = [
      ['sandbox-chat', own, 'job 1', 'completed'],
      ['no-such-model', proxys, '4711', 'refused'],
      ['sandbox-chat+status=500', { ...own, ...proxys }, 'job 1', 'failed'],
    ];
    for (const [model, headers, name, kind] of calls) {
      const answer = await chat(model, {}, account, headers);
      await answer.text();
      expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
      expect(answer.headers.has('x-client-request-id')).toBe(false);
      expected.push([name, idOf(answer), kind]);
      await waitFor(async () => (await namesOf(account)).length === expected.length);
    }
    expect(await namesOf(account)).toEqual(expected);
    // Before anything is known of the call.
    await (await site.post('/v1/chat/completions', account.apiKey, '{', { headers: proxys })).text();
    await waitFor(async () => (await namesOf(account)).length === 4);
  });

  it.each([
    ['is too long', 'x'.repeat(256)],
    ['is empty', ''],
    ['is not ASCII', 'é'],
  ])('is left out if it %s', async (_what, name) => {
    const answer = await chat('sandbox-chat', {}, account, { 'X-Client-Request-Id': name });
    expect(answer.status).toBe(200);
    await answer.text();
    expect(await eventsOf(site.pool, account.accountId)).toHaveLength(1);
    expect(await namesOf(account)).toEqual([]);
  });
});

describe('a refused call is recorded', () => {
  it('whose model does not exist, under the id that its answer names', async () => {
    const answer = await chat('no-such-model', {}, account, { 'X-Entrypoint': 'my-app' });
    expect(answer.status).toBe(404);
    await answer.text();
    expect(await onlyStoredOf(account)).toMatchObject({
      request_id: answer.headers.get('x-inference-request-id'),
      account_id: account.accountId,
      api_key_id: account.apiKeyId,
      model: 'no-such-model',
      entrypoint: 'my-app',
      endpoint: 'chat/completions',
      kind: 'refused',
      http_status: 404,
      error_code: 'model_not_found',
      upstream: null,
      time_to_first_byte_ms: null,
    });
  });

  it('for which the wallet does not suffice', async () => {
    const poor = await site.account(0n);
    await (await chat('sandbox-chat', {}, poor)).text();
    expect(await onlyStoredOf(poor)).toMatchObject({
      kind: 'refused',
      http_status: 402,
      error_code: 'insufficient_balance',
      model: 'sandbox-chat',
    });
  });

  it.each([
    ['no JSON', 'invalid_json', null, '{"model":'],
    ['a wrong value', 'invalid_value', 'sandbox-chat', JSON.stringify(bodyOf('sandbox-chat', { n: -1 }))],
    ['no model', 'invalid_value', null, JSON.stringify({ messages: [] })],
    ['a number as model', 'invalid_value', null, JSON.stringify({ model: 7, messages: [] })],
  ])('whose body is or has %s', async (_what, code, model, body) => {
    const answer = await site.post('/v1/chat/completions', account.apiKey, body);
    expect(answer.status).toBe(400);
    await answer.text();
    expect(await onlyStoredOf(account)).toMatchObject({ http_status: 400, error_code: code, model });
  });

  it('that a guard refused before its body was read', async () => {
    const answer = await site.post('/v1/embeddings', account.apiKey, 'model=x', {
      headers: { 'Content-Type': 'text/plain' },
    });
    expect(answer.status).toBe(415);
    await answer.text();
    expect(await onlyStoredOf(account)).toMatchObject({
      request_id: answer.headers.get('x-inference-request-id'),
      http_status: 415,
      endpoint: 'embeddings',
      model: null,
    });
  });

  it('that the upstream refused', async () => {
    const answer = await chat('sandbox-chat+status=422');
    expect(answer.status).toBe(422);
    await answer.text();
    const stored = await onlyStoredOf(account);
    expect(stored).toMatchObject({ kind: 'refused', http_status: 422, upstream: 'engine' });
    expect(stored.time_to_first_byte_ms).toBeLessThanOrEqual(stored.duration_ms);
  });

  it('with a model name that is long, or that PostgreSQL cannot hold', async () => {
    await (await chat('x'.repeat(1_000))).text();
    await (await chat(`a\u0000b`)).text();
    // As JSON.stringify writes half of a pair.
    await (
      await site.post('/v1/chat/completions', account.apiKey, '{"model":"a\\ud800b","messages":[]}')
    ).text();
    const rows = await waitFor(async () => {
      const found = await storedOf(account);
      return found.length === 3 && found;
    });
    expect(rows.map(({ model }) => model).sort()).toEqual(['a b', 'a\ufffdb', 'x'.repeat(128)]);
  });
});

describe('a failed call is recorded', () => {
  it('whose upstream answered 500', async () => {
    const answer = await chat('sandbox-chat+status=500');
    expect(answer.status).toBe(502);
    await answer.text();
    expect(await onlyStoredOf(account)).toMatchObject({
      request_id: answer.headers.get('x-inference-request-id'),
      kind: 'failed',
      http_status: 502,
      error_code: 'upstream_error',
      upstream: 'engine',
    });
  });

  it('whose stream was cut before its first token, with the status that the client got', async () => {
    const answer = await chat('sandbox-chat+fail-mid=0', { stream: true });
    const text = await answer.text();
    const expected = answer.status === 200 ? 200 : 502;
    expect(text).toContain('upstream_error');
    expect(await onlyStoredOf(account)).toMatchObject({
      request_id: answer.headers.get('x-inference-request-id'),
      kind: 'failed',
      http_status: expected,
      error_code: 'upstream_error',
    });
    expect(await eventsOf(site.pool, account.accountId)).toEqual([]);
  });

  it('unless it was charged for a part', async () => {
    await (await chat('sandbox-chat+fail-mid=4', { stream: true })).text();
    expect((await site.onlyEvent(account)).outcome).toBe('interrupted');
    await (await chat('no-such-model')).text();
    expect(await onlyStoredOf(account)).toMatchObject({ error_code: 'model_not_found' });
  });
});

describe('a served call has', () => {
  const toldOf = async ({ accountId }: TestAccount) => {
    const { rows } = await site.pool.query<{
      duration: number;
      first: number | null;
      reason: string | null;
      calls: bigint;
    }>(
      `SELECT duration_ms AS duration, time_to_first_token_ms AS first, finish_reason AS reason,
         (SELECT sum(calls)::bigint FROM metering.hourly_usage r WHERE r.account_id = e.account_id) AS calls
       FROM metering.usage_events e WHERE account_id = $1`,
      [accountId],
    );
    return rows[0]!;
  };

  it('its duration and finish reason, and of a stream the time to the first token', async () => {
    await (await chat('sandbox-chat+first-delay=300', { stream: true })).text();
    await site.onlyEvent(account);
    const told = await toldOf(account);
    expect(told).toMatchObject({ reason: 'length', calls: 1n });
    expect(told.first).toBeGreaterThanOrEqual(250);
    expect(told.duration).toBeGreaterThanOrEqual(told.first!);
  });

  it('no time to the first token if the answer came at once', async () => {
    await (await chat('sandbox-chat')).text();
    await site.onlyEvent(account);
    expect(await toldOf(account)).toMatchObject({
      first: null,
      reason: 'length',
      duration: expect.any(Number),
    });
    expect(await storedOf(account)).toEqual([]);
  });
});

it('never records a prompt', async () => {
  await (await chat('no-such-model')).text();
  await (await chat('sandbox-chat', { n: -1 })).text();
  await waitFor(async () => (await storedOf(account)).length === 2);
  expect(JSON.stringify(await storedOf(account))).not.toContain('prompt');
});

it('records a bounded number of calls of an account in a minute, and those of others all the same', async () => {
  const [overLimit, other] = [await metric('over_limit'), await site.account()];
  const ids: (string | null)[] = [];
  for (let sent = 0; sent < 2 * MOST_PER_MINUTE + 100; sent += 100) {
    const answers = await Promise.all(Array.from({ length: 100 }, () => chat('no-such-model')));
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      ids.push(answer.headers.get('x-inference-request-id'));
      await answer.text();
    }
  }
  await (await chat('no-such-model', {}, other)).text();
  await onlyStoredOf(other);
  const dropped = (await metric('over_limit')) - overLimit;
  const named = ids.filter((id) => id !== null);
  // A minute may end meanwhile, and the next one begin.
  expect(named.length).toBeGreaterThanOrEqual(MOST_PER_MINUTE + SAMPLED_BEYOND);
  expect(named.length).toBeLessThanOrEqual(2 * MOST_PER_MINUTE + SAMPLED_BEYOND);
  expect(dropped).toBe(ids.length - named.length);
  const stored = await waitFor(async () => {
    const found = await storedOf(account);
    return found.length === named.length && found;
  });
  expect(stored.map(({ request_id: id }) => id).sort()).toEqual(named.sort());
});

it('records a bounded number of calls of all accounts in a minute', async () => {
  const metrics = { registry: new Registry() } as Metrics;
  const refusals = { beforeAnswer: () => undefined } as unknown as RefusedCalls;
  const calls = new UnservedCalls(site.gateway.app.get(Database), metrics, refusals);
  // The time stands still, so that all are in one minute.
  const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  try {
    const refusal = { httpStatus: 402, code: 'insufficient_balance' };
    const isRecorded = (index: number) => {
      const caller = { accountId: `acct_${index}`, role: 'user' as const };
      return calls.record(new CallNotes('chat/completions', caller, newId('req')), refusal);
    };
    const recorded = Array.from({ length: MOST_IN_ALL_PER_MINUTE + 500 }, (_, index) => isRecorded(index));
    expect(recorded.filter(Boolean)).toHaveLength(MOST_IN_ALL_PER_MINUTE);
    expect(recorded.slice(0, MOST_IN_ALL_PER_MINUTE).every(Boolean)).toBe(true);
  } finally {
    clock.mockRestore();
    await calls.onApplicationShutdown();
  }
});

it('counts what a failed call costs once if its confirmation is lost', async () => {
  const database = site.gateway.app.get(Database);
  let sent = 0;
  const losing = {
    query: async (statement: QueryConfig) => {
      const result = await database.query(statement);
      if (++sent === 1) throw new Error('Connection terminated unexpectedly');
      return result;
    },
  } as unknown as Database;
  const costs = new UnchargedCosts(losing, { countCosts: () => undefined } as unknown as UpstreamMetrics);
  const cost = { upstream: 'engine', list: '1', served: false, costPicos: 5n };
  costs.record('req_failed', account.accountId, 'm', [cost, cost]);
  await waitFor(async () => sent === 2);
  await costs.onApplicationShutdown();
  const { rows } = await site.pool.query(
    `SELECT sum(cost_picos)::bigint AS cost FROM metering.margins WHERE account_id = $1
     UNION ALL SELECT sum(cost_picos)::bigint FROM metering.uncharged_costs WHERE account_id = $1`,
    [account.accountId],
  );
  expect(rows).toEqual([{ cost: 10n }, { cost: 10n }]);
  expect(sent).toBe(2);
});

describe('without the database', () => {
  let databaseProxy: DatabaseProxy;
  let gateway: Gateway;
  const refuse = async (of = account) => {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${of.apiKey}` },
      body: JSON.stringify(bodyOf('no-such-model')),
    });
    await answer.text();
    return answer;
  };

  beforeEach(async () => {
    databaseProxy = await startDatabaseProxy(site.database.urlFor('gateway'));
    gateway = await startGateway(
      testEnvironment(databaseProxy.url, [{ name: 'engine', base_url: `${site.engine.url}/v1` }]),
    );
  });
  afterEach(async () => {
    await gateway.close();
    await databaseProxy.close();
  });

  it.each(['down', 'blackhole'] as const)(
    'an answer waits for nothing, and the call is recorded later (%s)',
    async (way) => {
      await refuse();
      await onlyStoredOf(account);
      databaseProxy[way]();
      // The key is known for three seconds, so the gateway needs no database to refuse these.
      const answers = await Promise.race([
        Promise.all([refuse(), refuse()]),
        new Promise<never>((_resolve, reject) => setTimeout(() => reject(new Error('It waits.')), 4_000)),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([404, 404]);
      // Attempts to write fail meanwhile, or hang.
      await sleep(OUTAGE_MILLIS);
      expect(await storedOf(account)).toHaveLength(1);
      if (way === 'down') databaseProxy.up();
      else databaseProxy.endBlackhole();
      await waitFor(async () => (await storedOf(account)).length === 3);
    },
  );

  it('records a call twice sent once', async () => {
    await refuse();
    await onlyStoredOf(account);
    databaseProxy.disconnectAtNextResponse();
    await refuse();
    await waitFor(async () => (await storedOf(account)).length === 2);
    await refuse();
    await waitFor(async () => (await storedOf(account)).length === 3);
  });

  it('records what waits when the process stops', async () => {
    const stopping = await startGateway(
      testEnvironment(site.database.urlFor('gateway'), [
        { name: 'engine', base_url: `${site.engine.url}/v1` },
      ]),
    );
    const answer = await fetch(`${stopping.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${account.apiKey}` },
      body: JSON.stringify(bodyOf('no-such-model')),
    });
    await answer.text();
    await stopping.close();
    expect(await storedOf(account)).toHaveLength(1);
  });
});

it('keeps calls for 30 days', async () => {
  const day = (daysAgo: number) => {
    const at = new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
    return { name: `metering.unserved_calls_${at.replaceAll('-', '_')}`, from: `${at}T00:00:00Z` };
  };
  for (const days of [30, 31]) {
    const { name, from } = day(days);
    await site.pool.query(
      `CREATE TABLE ${name} PARTITION OF metering.unserved_calls
       FOR VALUES FROM ('${from}') TO ('${new Date(Date.parse(from) + 86_400_000).toISOString()}')`,
    );
  }
  await site.pool.query('SELECT metering.ensure_unserved_call_days()');
  const { rows } = await site.pool.query<{ kept: boolean; gone: boolean }>(
    `SELECT to_regclass('${day(30).name}') IS NOT NULL AS kept, to_regclass('${day(31).name}') IS NULL AS gone`,
  );
  expect(rows).toEqual([{ kept: true, gone: true }]);
});
