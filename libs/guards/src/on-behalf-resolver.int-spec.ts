import { NotificationChannel } from '@inference/database';
import {
  createTestDatabase,
  insertAccount,
  insertApiKey,
  type TestAccount,
  type TestDatabase,
  TestPool,
  waitFor,
} from '@inference/testing';
import { CREDENTIAL_ENTITIES } from './credentials.entity';
import { OnBehalfResolver } from './service-caller.strategy';

const NAME = 'resolver under test';

let database: TestDatabase;
let pool: TestPool;
let channel: NotificationChannel;
let resolver: OnBehalfResolver;
let account: TestAccount;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = await TestPool.withEntities(
    { url: database.urlFor('gateway'), applicationName: NAME, size: 2 },
    CREDENTIAL_ENTITIES,
  );
  channel = new NotificationChannel(database.urlFor('gateway'), NAME);
  resolver = new OnBehalfResolver(pool, channel);
  await channel.start();
});
beforeEach(async () => {
  account = await insertAccount(database.pool);
  // The clock is frozen, so cache entries do not expire: only a notification evicts them.
  jest.spyOn(performance, 'now').mockReturnValue(0);
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await channel.close();
  await pool.end();
  await database.drop();
});

const resolve = (apiKeyId?: string) => resolver.resolve(account.accountId, apiKeyId);

describe('OnBehalfResolver', () => {
  it('queries the database once, and caches accounts and their keys separately', async () => {
    const queries = jest.spyOn(pool, 'repository');
    const { apiKeyId } = await insertApiKey(database.pool, account.accountId, { allowedModels: [] });
    for (let round = 0; round < 3; round++) {
      expect((await resolve())?.apiKey).toBeUndefined();
      expect((await resolve(account.apiKeyId))?.apiKey?.allowedModels).toBeNull();
      expect((await resolve(apiKeyId))?.apiKey?.allowedModels).toEqual([]);
      expect(queries).toHaveBeenCalledTimes(3);
    }
    expect(await resolve('')).toBeNull();
  });

  it('evicts a deleted key at once and keeps the account', async () => {
    expect(await resolve(account.apiKeyId)).not.toBeNull();
    await database.pool.query(
      'UPDATE accounts.api_keys SET key_hash = NULL, deleted_at = now() WHERE id = $1',
      [account.apiKeyId],
    );
    await waitFor(async () => (await resolve(account.apiKeyId)) === null);
    expect(await resolve()).toEqual({ accountId: account.accountId, role: 'user' });
  });

  it('evicts changed key limits and a changed role at once', async () => {
    const resolved = async () => (await resolve(account.apiKeyId))!;
    expect(await resolved()).toMatchObject({ role: 'user', apiKey: { spendLimited: false } });
    expect((await resolve())!.role).toBe('user');
    await database.pool.query("UPDATE accounts.accounts SET role = 'analyst' WHERE id = $1", [
      account.accountId,
    ]);
    await waitFor(async () => (await resolve())?.role === 'analyst');
    // A key carries no role.
    expect((await resolved()).role).toBe('user');
    await database.pool.query('UPDATE accounts.api_keys SET spend_limit_picos = 1 WHERE id = $1', [
      account.apiKeyId,
    ]);
    await waitFor(async () => (await resolved()).apiKey?.spendLimited);
  });

  it('says at once that the account is suspended, and refuses a suspended key', async () => {
    const set = (table: string, id: string, at: string) =>
      database.pool.query(`UPDATE accounts.${table} SET suspended_at = ${at} WHERE id = $1`, [id]);
    const { accountId, apiKeyId } = account;
    for (const keyId of [undefined, apiKeyId]) {
      expect((await resolve(keyId))!.isSuspended).toBeUndefined();
      await set('accounts', accountId, 'now()');
      await waitFor(async () => (await resolve(keyId))?.isSuspended);
      await set('accounts', accountId, 'NULL');
      await waitFor(async () => !(await resolve(keyId))!.isSuspended);
    }
    await set('api_keys', apiKeyId, 'now()');
    await waitFor(async () => (await resolve(apiKeyId)) === null);
    expect(await resolve()).not.toBeNull();
    await set('api_keys', apiKeyId, 'NULL');
    expect(await resolve(apiKeyId)).not.toBeNull();
  });

  it('clears the cache when the channel reconnects', async () => {
    await resolve(account.apiKeyId);
    await database.pool.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()',
      [`${NAME} listen`],
    );
    await database.pool.query(
      'UPDATE accounts.api_keys SET key_hash = NULL, deleted_at = now() WHERE id = $1',
      [account.apiKeyId],
    );
    await waitFor(async () => (await resolve(account.apiKeyId)) === null);
  });
});
