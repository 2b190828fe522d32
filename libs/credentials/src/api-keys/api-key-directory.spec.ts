import { createPool, isDatabaseUnavailable, NotificationChannel, type SqlPool } from '@inference/database';
import {
  createTestDatabase,
  insertAccount,
  insertApiKey,
  TEST_API_KEY_HASH_SECRET,
  type TestAccount,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { type CredentialsOptions } from '../credentials.options';
import { createApiKey } from './api-key';
import { ApiKeyDirectory } from './api-key-directory';

const OPTIONS: CredentialsOptions = {
  SITE: 'intl',
  API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
  publicKeys: [],
  defaultKinds: ['api_key'],
  sessionCacheSeconds: 10,
};
const NOWHERE = 'postgres://u:p@127.0.0.1:1/none';
const NAME = 'directory under test';

let database: TestDatabase;
let pool: SqlPool;
let channel: NotificationChannel;
let directory: ApiKeyDirectory;
let account: TestAccount;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.urlFor('router_cost'), applicationName: NAME, size: 4 });
});

beforeEach(async () => {
  channel = new NotificationChannel(database.urlFor('router_cost'), NAME);
  directory = new ApiKeyDirectory(pool, OPTIONS, channel);
  await channel.start();
  account = await insertAccount(database.pool);
});

afterEach(() => channel.close());
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function deleteKey(id: string): Promise<number> {
  await database.pool.query(
    'UPDATE accounts.api_keys SET key_hash = NULL, deleted_at = now() WHERE id = $1',
    [id],
  );
  return performance.now();
}

/** How long after `since` the key still opens; fails when it never ends. */
async function millisUntilRefused(since: number, key: string, of = directory): Promise<number> {
  await waitFor(async () => (await of.find(key)) === null);
  return performance.now() - since;
}

describe('ApiKeyDirectory', () => {
  it('finds the caller behind a key, with what the key may do', async () => {
    expect(await directory.find(account.apiKey)).toEqual({
      accountId: account.accountId,
      role: 'user',
      apiKey: { id: account.apiKeyId, spendLimited: false, allowedModels: null },
    });
    const bounds = { spendLimitPicos: 5n, allowedModels: ['one', 'two'] };
    const bounded = await insertApiKey(database.pool, account.accountId, bounds);
    expect(await directory.find(bounded.apiKey)).toMatchObject({
      apiKey: { id: bounded.apiKeyId, spendLimited: true, allowedModels: ['one', 'two'] },
    });
  });

  it('knows no key that was not issued, nor one hashed with another secret', async () => {
    expect(await directory.find(createApiKey().key)).toBeNull();
    const options = { ...OPTIONS, API_KEY_HASH_SECRET: 'y'.repeat(40) };
    expect(await new ApiKeyDirectory(pool, options, channel).find(account.apiKey)).toBeNull();
  });

  it('refuses malformed keys without asking the database', async () => {
    const unreachable = createPool({ url: NOWHERE, applicationName: NAME, size: 1 });
    const blind = new ApiKeyDirectory(unreachable, OPTIONS, channel);
    const { key } = createApiKey();
    for (const text of ['', 'bfvk-', `${key}0`, `${key.slice(0, -1)}!`, 'bfvk-\0']) {
      expect(await blind.find(text)).toBeNull();
    }
    const failure: unknown = await blind.find(key).catch((error: unknown) => error);
    expect(isDatabaseUnavailable(failure)).toBe(true);
    await unreachable.end();
  });

  it('notes when a key was last used', async () => {
    await directory.find(account.apiKey);
    await waitFor(async () => {
      const { rowCount } = await database.pool.query(
        "SELECT FROM accounts.api_keys WHERE id = $1 AND last_used_at > now() - interval '1 minute'",
        [account.apiKeyId],
      );
      return rowCount === 1;
    });
  });

  it('knows of a deletion within a second', async () => {
    expect(await directory.find(account.apiKey)).not.toBeNull();
    const deletedAt = await deleteKey(account.apiKeyId);
    expect(await millisUntilRefused(deletedAt, account.apiKey)).toBeLessThan(1_000);
  });

  it('knows of deletions within a second while the keys are in heavy use', async () => {
    const keys = await Promise.all(
      Array.from({ length: 12 }, () => insertApiKey(database.pool, account.accountId)),
    );
    let stopped = false;
    const deletedAt = new Map<string, number>();
    const late: string[] = [];
    const users = keys.map(async ({ apiKeyId, apiKey }) => {
      while (!stopped) {
        const startedAt = performance.now();
        const caller = await directory.find(apiKey);
        const gone = deletedAt.get(apiKeyId);
        if (caller && gone !== undefined && startedAt > gone + 1_000) late.push(apiKeyId);
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    for (const { apiKeyId } of keys) deletedAt.set(apiKeyId, await deleteKey(apiKeyId));
    const lastDeletion = performance.now();
    await waitFor(() => performance.now() > lastDeletion + 1_200);
    stopped = true;
    await Promise.all(users);
    expect(late).toEqual([]);
    for (const { apiKey } of keys) expect(await directory.find(apiKey)).toBeNull();
  });

  it('knows of new bounds and of a new role within a second', async () => {
    const caller = async () => (await directory.find(account.apiKey))!;
    expect((await caller()).role).toBe('user');
    await database.pool.query("UPDATE accounts.accounts SET role = 'admin' WHERE id = $1", [
      account.accountId,
    ]);
    await waitFor(async () => (await caller()).role === 'admin', 1_000);
    await database.pool.query("UPDATE accounts.api_keys SET allowed_models = '{x}' WHERE id = $1", [
      account.apiKeyId,
    ]);
    await waitFor(async () => (await caller()).apiKey?.allowedModels?.[0] === 'x', 1_000);
  });

  it('forgets everything once it listens again, so that a deletion in between is known', async () => {
    await directory.find(account.apiKey);
    const cut = await database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = $1 AND datname = current_database()`,
      [`${NAME} listen`],
    );
    expect(cut.rowCount).toBe(1);
    const deletedAt = await deleteKey(account.apiKeyId);
    const millis = await millisUntilRefused(deletedAt, account.apiKey);
    // Well before the cached answer would have ended.
    expect(millis).toBeLessThan(2_000);
  });

  it('honours a deletion within three seconds where no notification ever comes', async () => {
    const deaf = new NotificationChannel(NOWHERE, NAME);
    await deaf.start();
    const uninformed = new ApiKeyDirectory(pool, OPTIONS, deaf);
    await uninformed.find(account.apiKey);
    const deletedAt = await deleteKey(account.apiKeyId);
    expect(await uninformed.find(account.apiKey)).not.toBeNull();
    expect(await millisUntilRefused(deletedAt, account.apiKey, uninformed)).toBeLessThan(3_200);
    await deaf.close();
  }, 15_000);
});
