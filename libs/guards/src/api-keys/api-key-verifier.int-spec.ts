import { isDatabaseUnavailable, NotificationChannel } from '@inference/database';
import {
  createTestDatabase,
  insertAccount,
  insertApiKey,
  TEST_API_KEY_HASH_SECRET,
  type TestAccount,
  type TestDatabase,
  TestPool,
  waitFor,
} from '@inference/testing';
import { CREDENTIAL_ENTITIES } from '../credentials.entity';
import { createApiKey, rehashApiKey } from '../credentials.repository';
import { type CredentialsOptions } from '../credentials.options';
import { hashSecretKey } from '../secret-key';
import { ApiKeyVerifier } from './api-key.strategy';

const OPTIONS: CredentialsOptions = {
  SITE: 'intl',
  API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
  publicKeys: [],
  strategies: [],
  defaultKinds: ['api_key'],
};
const NOWHERE = 'postgres://u:p@127.0.0.1:1/none';
const NAME = 'directory under test';

let database: TestDatabase;
let pool: TestPool;
let channel: NotificationChannel;
let verifier: ApiKeyVerifier;
let account: TestAccount;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = await TestPool.withEntities(
    { url: database.urlFor('gateway'), applicationName: NAME, size: 4 },
    CREDENTIAL_ENTITIES,
  );
});

beforeEach(async () => {
  channel = new NotificationChannel(database.urlFor('gateway'), NAME);
  verifier = new ApiKeyVerifier(pool, OPTIONS, channel);
  await channel.start();
  account = await insertAccount(database.pool);
});

afterEach(() => channel.close());
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function deleteKey(id: string): Promise<void> {
  await database.pool.query(
    'UPDATE accounts.api_keys SET key_hash = NULL, deleted_at = now() WHERE id = $1',
    [id],
  );
}

const untilRefused = (key: string) => waitFor(async () => (await verifier.verify(key)) === null);

/** Freezes the clock, so that cache entries do not expire: only a notification evicts them. */
const stopClock = (atMillis = 0) => jest.spyOn(performance, 'now').mockReturnValue(atMillis);
afterEach(() => jest.restoreAllMocks());

describe('ApiKeyDirectory', () => {
  it('finds the caller of a key, with the limits of the key', async () => {
    expect(await verifier.verify(account.apiKey)).toEqual({
      accountId: account.accountId,
      role: 'user',
      apiKey: { id: account.apiKeyId, spendLimited: false, allowedModels: null, reportsCost: true },
    });
    const bounds = { spendLimitPicos: 5n, allowedModels: ['one', 'two'], reportsCost: true };
    const bounded = await insertApiKey(database.pool, account.accountId, bounds);
    expect(await verifier.verify(bounded.apiKey)).toMatchObject({
      apiKey: { id: bounded.apiKeyId, spendLimited: true, allowedModels: ['one', 'two'], reportsCost: true },
    });
  });

  it('does not find a key that was never issued or that has a hash of another secret', async () => {
    expect(await verifier.verify(createApiKey().key)).toBeNull();
    const options = { ...OPTIONS, API_KEY_HASH_SECRET: 'y'.repeat(40) };
    expect(await new ApiKeyVerifier(pool, options, channel).verify(account.apiKey)).toBeNull();
  });

  describe('while one hash secret replaces the other', () => {
    const NEW = 'n'.repeat(40);
    const BOTH = {
      ...OPTIONS,
      API_KEY_HASH_SECRET: NEW,
      API_KEY_HASH_OTHER_SECRET: TEST_API_KEY_HASH_SECRET,
    };
    const ONLY_NEW = { ...OPTIONS, API_KEY_HASH_SECRET: NEW };
    /** Has an empty cache. */
    const verifierOf = (options: CredentialsOptions) => new ApiKeyVerifier(pool, options, channel);
    const isAcceptedBy = async (
      options: CredentialsOptions,
      { apiKey }: Pick<TestAccount, 'apiKey'> = account,
    ) => (await verifierOf(options).verify(apiKey)) !== null;

    it('stores a used key under the new one, which then suffices', async () => {
      expect(await isAcceptedBy(ONLY_NEW)).toBe(false);
      expect(await isAcceptedBy(BOTH)).toBe(true);
      await waitFor(() => isAcceptedBy(ONLY_NEW));
      expect(await isAcceptedBy(OPTIONS)).toBe(false);
      const { rows } = await database.pool.query(
        'SELECT last_used_at IS NOT NULL AS used FROM accounts.api_keys WHERE id = $1',
        [account.apiKeyId],
      );
      expect(rows).toEqual([{ used: true }]);
    });

    it('leaves a key and its time of use as they are, for a service that only reads', async () => {
      const stored = async () => {
        const { rows } = await database.pool.query(
          'SELECT key_hash, last_used_at FROM accounts.api_keys WHERE id = $1',
          [account.apiKeyId],
        );
        return rows;
      };
      const before = await stored();
      const single = await TestPool.withEntities(
        { url: database.urlFor('gateway'), applicationName: NAME, size: 1 },
        CREDENTIAL_ENTITIES,
      );
      const reader = new ApiKeyVerifier(single, { ...BOTH, keepsKeyHashes: true }, channel);
      expect(await reader.verify(account.apiKey)).not.toBeNull();
      // The one connection has done before what the use stores.
      await single.query('SELECT 1');
      await single.end();
      expect(await stored()).toEqual(before);
    });

    it('accepts a key at each moment while another process moves it between the two', async () => {
      const hashes = [NEW, TEST_API_KEY_HASH_SECRET].map((secret) => hashSecretKey(account.apiKey, secret));
      let stopped = false;
      const move = async () => {
        for (let turn = 0; !stopped; turn++)
          await database.pool.query('UPDATE accounts.api_keys SET key_hash = $2 WHERE id = $1', [
            account.apiKeyId,
            hashes[turn % 2],
          ]);
      };
      const moving = move();
      const uses: boolean[] = [];
      while (uses.length < 150) uses.push(await isAcceptedBy(BOTH));
      stopped = true;
      await moving;
      expect(uses.filter((isAccepted) => !isAccepted)).toEqual([]);
    });

    it('does not store a key that is deleted meanwhile', async () => {
      await deleteKey(account.apiKeyId);
      expect(await isAcceptedBy(BOTH)).toBe(false);
      const from = hashSecretKey(account.apiKey, TEST_API_KEY_HASH_SECRET);
      await rehashApiKey(pool, account.apiKeyId, { from, to: Buffer.from('any') });
      expect(await isAcceptedBy(BOTH)).toBe(false);
    });

    it('does not undo a rotation of the key meanwhile', async () => {
      const { key: newKey } = createApiKey();
      await database.pool.query('UPDATE accounts.api_keys SET key_hash = $2 WHERE id = $1', [
        account.apiKeyId,
        hashSecretKey(newKey, NEW),
      ]);
      const [to, from] = [NEW, TEST_API_KEY_HASH_SECRET].map((secret) =>
        hashSecretKey(account.apiKey, secret),
      );
      await rehashApiKey(pool, account.apiKeyId, { from: from!, to: to! });
      expect(await isAcceptedBy(BOTH)).toBe(false);
      expect(await isAcceptedBy(BOTH, { apiKey: newKey })).toBe(true);
    });
  });

  it('refuses malformed keys without a query', async () => {
    const unreachable = await TestPool.withEntities(
      { url: NOWHERE, applicationName: NAME, size: 1 },
      CREDENTIAL_ENTITIES,
    );
    const blind = new ApiKeyVerifier(unreachable, OPTIONS, channel);
    const { key } = createApiKey();
    for (const text of ['', 'bfvk-', `${key}0`, `${key.slice(0, -1)}!`, 'bfvk-\0']) {
      expect(await blind.verify(text)).toBeNull();
    }
    const failure: unknown = await blind.verify(key).catch((error: unknown) => error);
    expect(isDatabaseUnavailable(failure)).toBe(true);
    await unreachable.end();
  });

  it('stores when a key was last used', async () => {
    await verifier.verify(account.apiKey);
    await waitFor(async () => {
      const { rowCount } = await database.pool.query(
        "SELECT FROM accounts.api_keys WHERE id = $1 AND last_used_at > now() - interval '1 minute'",
        [account.apiKeyId],
      );
      return rowCount === 1;
    });
  });

  it.each([
    ['is disabled', 'disabled_at = now()', '203.0.113.1'],
    ['has expired', "expires_at = now() - interval '1 second'", '203.0.113.1'],
    ['comes from elsewhere', "allowed_ips = '{203.0.113.0/24}'", '198.51.100.1'],
  ])('stores no use of a key that %s', async (_state, change, address) => {
    const single = await TestPool.withEntities(
      { url: database.urlFor('gateway'), applicationName: NAME, size: 1 },
      CREDENTIAL_ENTITIES,
    );
    const isUsed = async () => {
      // The one connection has done before what a use stores.
      const { rows } = await single.query<{ used: boolean }>(
        'SELECT last_used_at IS NOT NULL AS used FROM accounts.api_keys WHERE id = $1',
        [account.apiKeyId],
      );
      return rows[0]!.used;
    };
    const of = new ApiKeyVerifier(single, OPTIONS, channel);
    await database.pool.query(`UPDATE accounts.api_keys SET ${change} WHERE id = $1`, [account.apiKeyId]);
    await expect(of.verify(account.apiKey, address)).rejects.toThrow('this API key');
    expect(await isUsed()).toBe(false);
    if (change.startsWith('allowed_ips')) {
      await of.verify(account.apiKey, '203.0.113.1');
      expect(await isUsed()).toBe(true);
    }
    await single.end();
  });

  it('evicts a deleted key at once', async () => {
    stopClock();
    expect(await verifier.verify(account.apiKey)).not.toBeNull();
    await deleteKey(account.apiKeyId);
    await untilRefused(account.apiKey);
  });

  it('evicts deleted keys under load, and never accepts one again', async () => {
    stopClock();
    const keys = await Promise.all(
      Array.from({ length: 12 }, () => insertApiKey(database.pool, account.accountId)),
    );
    let stopped = false;
    const late: string[] = [];
    const refused = new Set<string>();
    const users = keys.map(async ({ apiKeyId, apiKey }) => {
      while (!stopped) {
        if (await verifier.verify(apiKey)) {
          if (refused.has(apiKeyId)) late.push(apiKeyId);
        } else refused.add(apiKeyId);
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    for (const { apiKeyId } of keys) await deleteKey(apiKeyId);
    await waitFor(() => refused.size === keys.length).finally(() => (stopped = true));
    await Promise.all(users);
    expect(late).toEqual([]);
  });

  it('evicts changed key limits at once, and carries no role of its account', async () => {
    stopClock();
    const caller = async () => (await verifier.verify(account.apiKey))!;
    expect((await caller()).role).toBe('user');
    await database.pool.query("UPDATE accounts.accounts SET role = 'admin' WHERE id = $1", [
      account.accountId,
    ]);
    expect((await caller()).role).toBe('user');
    await database.pool.query("UPDATE accounts.api_keys SET allowed_models = '{x}' WHERE id = $1", [
      account.apiKeyId,
    ]);
    await waitFor(async () => (await caller()).apiKey?.allowedModels?.[0] === 'x');
  });

  it('clears the cache when the channel reconnects, so that a missed deletion takes effect', async () => {
    stopClock();
    await verifier.verify(account.apiKey);
    const cut = await database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = $1 AND datname = current_database()`,
      [`${NAME} listen`],
    );
    expect(cut.rowCount).toBe(1);
    await deleteKey(account.apiKeyId);
    await untilRefused(account.apiKey);
  });

  it('refuses a deleted key after three seconds without a notification', async () => {
    const deaf = new NotificationChannel(NOWHERE, NAME);
    await deaf.start();
    const uninformed = new ApiKeyVerifier(pool, OPTIONS, deaf);
    stopClock();
    await uninformed.verify(account.apiKey);
    await deleteKey(account.apiKeyId);
    stopClock(2_999);
    expect(await uninformed.verify(account.apiKey)).not.toBeNull();
    stopClock(3_000);
    expect(await uninformed.verify(account.apiKey)).toBeNull();
    await deaf.close();
  });
});
