import {
  createTestDatabase,
  insertAccount,
  insertApiKey,
  publishPrices,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { AgentCaller, type SeenEvent } from './agent-calls';
import { usageOf } from './agent-records';
import { readLeases, runReconcile } from '../billing/ledger-totals';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

const MODEL = 'sandbox-chat';
/** Takes about two seconds. */
const LONG = 'sandbox-chat+tokens-40+delay-50';
const RATE_PICOS = 1_000_000n;
const PLENTY_PICOS = 10n ** 15n;

let database: TestDatabase;
let site: Site;
let agent: ServiceProcess;

beforeAll(async () => {
  database = await createTestDatabase();
  const price = { unit: 'per_million_tokens' as const, ratePicos: RATE_PICOS };
  await publishPrices(
    database.pool,
    [MODEL, LONG].map((slug) => ({ slug, ...price })),
  );
  site = new Site(database);
  const gateway = await site.startGateway(await site.startEngine(), { LEASE_TTL_SECONDS: '2' });
  agent = await site.startAgent(gateway);
});

afterAll(async () => {
  await site?.stop();
  await database?.drop();
});

const caller = (apiKey: string) => new AgentCaller(agent.url, apiKey);

/** An account without balance, and restricted keys of an account with balance. */
const REFUSED: [who: string, status: number, code: string, apiKey: () => Promise<Owner>, fields?: object][] =
  [
    [
      'an empty wallet',
      402,
      'insufficient_balance',
      () => insertAccount(database.pool),
      { missing_amount: expect.any(String) as string },
    ],
    [
      'a key with a spending limit that is used up',
      402,
      'key_spend_limit_reached',
      () => richKey({ spendLimitPicos: 1n }),
    ],
    [
      'a key that is not for the model',
      403,
      'model_not_allowed',
      () => richKey({ allowedModels: ['another'] }),
    ],
  ];

interface Owner {
  accountId: string;
  apiKey: string;
}

async function richKey(options: Parameters<typeof insertApiKey>[2]): Promise<Owner> {
  const { accountId } = await insertAccount(database.pool, { balancePicos: PLENTY_PICOS });
  return { accountId, ...(await insertApiKey(database.pool, accountId, options)) };
}

const untilFailed = (apiKey: string, sessionId: string) =>
  waitFor(async () => (await caller(apiKey).events(sessionId)).find(({ type }) => type === 'turn.failed'));

describe.each(REFUSED)('%s', (_who, status, code, makeOwner, fields) => {
  test(`gets ${status} for an event with and without a stream, and is not billed`, async () => {
    const { accountId, apiKey } = await makeOwner();
    const message = { role: 'user', content: 'Answer me' };
    for (const path of ['events', 'events/stream']) {
      const sessionId = `${path.replace('/', '-')}-${accountId}`;
      const refusal = await caller(apiKey).ask('POST', `/${sessionId}/${path}`, message);
      const turnId = expect.stringMatching(/^turn_/) as string;
      expect(refusal).toEqual({
        status,
        body: { error: expect.any(String) as string, code, turn_id: turnId, ...fields },
      });
      expect(await caller(apiKey).events(sessionId)).toMatchObject([
        { seq: 1, type: 'message', status: 'failed' },
        { seq: 2, type: 'turn.failed', content: '', error: { code, retryable: false } },
      ]);
    }
    expect(await usageOf(database.pool, accountId)).toEqual([]);
  });
});

test('another key of the account is not affected by the limit of a key', async () => {
  const { accountId, apiKey } = await richKey({ spendLimitPicos: 1n });
  const message = { role: 'user', content: 'Answer me' };
  expect((await caller(apiKey).call('POST', `/limited-${accountId}/events`, message)).status).toBe(402);
  const other = await insertApiKey(database.pool, accountId);
  const stream = await caller(other.apiKey).stream(`other-${accountId}`, 'Answer me');
  await stream.end;
  expect(stream.events.at(-1)!.event).toBe('turn.completed');
  const { rows } = await database.pool.query<{ api_key_id: string }>(
    'SELECT api_key_id FROM metering.usage_events WHERE account_id = $1',
    [accountId],
  );
  expect(rows).toEqual([{ api_key_id: other.apiKeyId }]);
});

test('a running turn of a deleted key ends and is billed, and its queued turns fail', async () => {
  const { accountId, apiKey, apiKeyId } = await insertAccount(database.pool, { balancePicos: PLENTY_PICOS });
  const { apiKey: other } = await insertApiKey(database.pool, accountId);
  await caller(apiKey).ask('POST', '', { id: 'deleted-key', model: LONG });
  const stream = await caller(apiKey).stream('deleted-key', 'Answer me');
  await caller(apiKey).post('deleted-key', 'And then', '?on_busy=enqueue');
  await waitFor(() => stream.text !== '');
  await database.pool.query(
    'UPDATE accounts.api_keys SET deleted_at = now(), key_hash = NULL WHERE id = $1',
    [apiKeyId],
  );
  await waitFor(async () => (await caller(apiKey).call('GET', '/deleted-key')).status === 401);
  await stream.end;
  expect(stream.events.at(-1)!.event).toBe('turn.completed');
  expect(await untilFailed(other, 'deleted-key')).toMatchObject({
    error: { code: 'api_key_gone', retryable: false },
  });
  const events = await caller(other).events('deleted-key');
  const shape = ({ seq, type, status }: SeenEvent) => [seq, type, status];
  expect(events.map(shape)).toEqual([
    [1, 'message', 'completed'],
    [2, 'message', 'failed'],
    [3, 'message', 'completed'],
    [4, 'turn.failed', 'failed'],
  ]);
  expect(events[2]!.content).toBe(stream.text);
  expect(await usageOf(database.pool, accountId)).toMatchObject([{ outcome: 'completed' }]);
  const again = await caller(other).stream('deleted-key', 'Answer me now');
  await again.end;
  expect(again.events.at(-1)!.event).toBe('turn.completed');
});

test('no lease remains, and the ledger is consistent', async () => {
  await site.stop();
  await waitFor(async () => {
    await database.pool.query('SELECT wallet.reclaim_expired_leases()');
    return (await readLeases(database.pool)).leases === 0n;
  });
  expect(await runReconcile(database)).toContain('no difference');
});
