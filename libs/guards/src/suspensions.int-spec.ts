import { NotificationChannel } from '@inference/database';
import {
  createTestDatabase,
  insertAccount,
  TEST_API_KEY_HASH_SECRET,
  type TestAccount,
  type TestDatabase,
  TestPool,
  waitFor,
} from '@inference/testing';
import { ApiKeyVerifier } from './api-keys/api-key.strategy';
import { CREDENTIAL_ENTITIES } from './credentials.entity';
import { type Suspended, Suspensions } from './suspensions';

const NAME = 'suspensions under test';
const OPTIONS = {
  ...{ SITE: 'intl' as const, API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET, publicKeys: [] },
  ...{ strategies: [], defaultKinds: [] },
};

let database: TestDatabase;
let pool: TestPool;
let channel: NotificationChannel;
let suspensions: Suspensions;
let verifier: ApiKeyVerifier;
let account: TestAccount;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = await TestPool.withEntities(
    { url: database.urlFor('gateway'), applicationName: NAME, size: 2 },
    CREDENTIAL_ENTITIES,
  );
});
beforeEach(async () => {
  account = await insertAccount(database.pool);
  channel = new NotificationChannel(database.urlFor('gateway'), NAME);
  suspensions = new Suspensions(pool, channel);
  verifier = new ApiKeyVerifier(pool, OPTIONS, channel);
});
afterEach(async () => {
  jest.restoreAllMocks();
  suspensions.onModuleDestroy();
  await channel.close();
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const caller = () => ({
  accountId: account.accountId,
  apiKey: { id: account.apiKeyId, spendLimited: false, allowedModels: null, reportsCost: true },
});
const suspend = (table: 'accounts' | 'api_keys', at = 'now()') =>
  database.pool.query(`UPDATE accounts.${table} SET suspended_at = ${at} WHERE id = $1`, [
    table === 'accounts' ? account.accountId : account.apiKeyId,
  ]);
/** What was suspended, once it is. */
const suspension = () => new Promise<Suspended>((resolve) => suspensions.watch(caller(), resolve));
const dropChannel = () =>
  database.pool.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()',
    [`${NAME} listen`],
  );

it.each([
  ['accounts', 'account'],
  ['api_keys', 'api_key'],
] as const)(
  'ends what runs for one of the %s when it is suspended, and nothing else',
  async (table, what) => {
    await channel.start();
    const other = jest.fn();
    suspensions.watch({ accountId: 'acct_other' }, other);
    const ended = jest.fn();
    suspensions.watch(caller(), ended)();
    const suspended = suspension();
    await suspend(table);
    expect(await suspended).toBe(what);
    expect([other.mock.calls, ended.mock.calls]).toEqual([[], []]);
  },
);

it('ends what begins after the notification with a credential that was checked before', async () => {
  await channel.start();
  const first = suspension();
  await suspend('accounts');
  await first;
  expect(await suspension()).toBe('account');
  await suspend('accounts', 'NULL');
  await waitFor(() => {
    const again = jest.fn();
    suspensions.watch(caller(), again);
    return new Promise<boolean>((resolve) => setImmediate(() => resolve(again.mock.calls.length === 0)));
  });
});

it('reads what was suspended while there were no notifications', async () => {
  await channel.start();
  const suspended = suspension();
  await dropChannel();
  await suspend('accounts');
  expect(await suspended).toBe('account');
});

it('reads again if the read after a reconnection fails', async () => {
  await channel.start();
  const suspended = suspension();
  const { query } = pool;
  let hasFailed = false;
  jest.spyOn(pool, 'query').mockImplementation((...statement) => {
    if (hasFailed) return query(...statement);
    // A poll before the reconnection fails, too.
    hasFailed = channel.isConnected;
    return Promise.reject(new Error('no free connection'));
  });
  await dropChannel();
  // The connection ends a moment later; until then it would tell of the suspension.
  await waitFor(() => !channel.isConnected);
  await suspend('accounts');
  expect(await suspended).toBe('account');
  expect(hasFailed).toBe(true);
});

it('asks the database while the channel cannot connect, and refuses credentials after five seconds', async () => {
  const deaf = new NotificationChannel('postgres://u:p@127.0.0.1:1/none', NAME);
  const unheard = new ApiKeyVerifier(pool, OPTIONS, deaf);
  suspensions.onModuleDestroy();
  suspensions = new Suspensions(pool, deaf);
  const startedAt = performance.now();
  await deaf.start();
  try {
    expect(await unheard.verify(account.apiKey)).not.toBeNull();
    const suspended = suspension();
    await suspend('accounts');
    expect(await suspended).toBe('account');
    await waitFor(() => deaf.isSilent);
    expect(performance.now() - startedAt).toBeGreaterThan(4_900);
    await expect(unheard.verify(account.apiKey)).rejects.toMatchObject({ status: 503 });
  } finally {
    await deaf.close();
  }
});

it('trusts a channel that is connected', async () => {
  await channel.start();
  expect(await verifier.verify(account.apiKey)).toMatchObject({ accountId: account.accountId });
  await suspend('accounts');
  await waitFor(async () => (await verifier.verify(account.apiKey))?.isSuspended);
  await suspend('api_keys');
  await waitFor(async () => (await verifier.verify(account.apiKey)) === null);
  expect(channel.isSilent).toBe(false);
});
