import {
  createTestDatabase,
  insertAccount,
  type Issuer,
  startIssuer,
  type TestAccount,
  type TestDatabase,
} from '@inference/testing';
import { ENTITIES } from '../entities';
import { DEFAULT_QUOTA, type RunningTraining, startTraining } from '../training.fixture';

const MAX = 10 ** 15;

let database: TestDatabase;
let issuer: Issuer;
let service: RunningTraining;
let admin: TestAccount;
let adminToken: string;
let userToken: string;

beforeAll(async () => {
  database = await createTestDatabase(ENTITIES);
  issuer = await startIssuer();
  admin = await insertAccount(database.pool, { role: 'admin' });
  adminToken = (await issuer.signIn(database.pool, admin.accountId)).token;
  const { accountId } = await insertAccount(database.pool);
  userToken = (await issuer.signIn(database.pool, accountId)).token;
  service = await startTraining({ DATABASE_URL: database.urlFor('training'), CONSOLE_URL: issuer.url });
});
afterAll(async () => {
  await service.app.close();
  await issuer.close();
  await database.drop();
});

const pathOf = (accountId: string) => `/v1/admin/quotas/${accountId}`;
const read = (accountId: string) => service.call('GET', pathOf(accountId), adminToken);
const set = (accountId: string, content: unknown, token = adminToken) =>
  service.call('PUT', pathOf(accountId), token, content);

describe("an account's quota", () => {
  it('is the default until an admin sets a total, which is recorded', async () => {
    const { accountId } = await insertAccount(database.pool);
    expect((await read(accountId)).body.data).toEqual({
      account_id: accountId,
      total: DEFAULT_QUOTA,
      used: 0,
      changes: [],
    });
    expect((await set(accountId, { total: 5 })).body.data).toMatchObject({ total: 5, used: 0 });
    const { status, body } = await set(accountId, { total: MAX });
    expect([status, body.code, body.message]).toEqual([200, 0, '']);
    const by = { changed_by: admin.accountId, changed_at: expect.stringMatching(/^20.*Z$/) };
    expect(body.data).toEqual({
      account_id: accountId,
      total: MAX,
      used: 0,
      changes: [
        { from: 5, to: MAX, ...by },
        { from: DEFAULT_QUOTA, to: 5, ...by },
      ],
    });
    expect((await read(accountId)).body.data).toEqual(body.data);
  });

  it('can be zero, and less than the used amount', async () => {
    const { accountId } = await insertAccount(database.pool);
    await database.pool.query('INSERT INTO training.quotas VALUES ($1, 10, 7)', [accountId]);
    expect((await set(accountId, { total: 0 })).body.data).toMatchObject({ total: 0, used: 7 });
  });

  it('is not recorded again when it is set to the same total', async () => {
    const { accountId } = await insertAccount(database.pool);
    for (let i = 0; i < 2; i++) await set(accountId, { total: 5 });
    expect((await read(accountId)).body.data.changes).toHaveLength(1);
  });

  it('is set by concurrent requests one after the other: each change starts from the previous total', async () => {
    const { accountId } = await insertAccount(database.pool);
    const totals = [1, 2, 3, 4, 5, 6];
    await Promise.all(totals.map((total) => set(accountId, { total })));
    const { changes, total } = (await read(accountId)).body.data as {
      changes: { from: number; to: number }[];
      total: number;
    };
    expect([changes.length, changes[0]!.to]).toEqual([6, total]);
    expect(changes.map(({ from }) => from)).toEqual([...changes.slice(1).map(({ to }) => to), DEFAULT_QUOTA]);
  });
});

describe('the status', () => {
  it.each([undefined, '1', 1.5, -1, MAX + 1, null, true])('is 400 for a total of %s', async (total) => {
    const { accountId } = await insertAccount(database.pool);
    const { status, body } = await set(accountId, { total });
    expect([status, body]).toEqual([
      400,
      { code: 40000, data: {}, message: expect.stringMatching(/^total: /) },
    ]);
    expect((await read(accountId)).body.data.changes).toEqual([]);
  });

  it('is 400 for an unknown field, no body, and a path with NUL', async () => {
    expect((await set(admin.accountId, { total: 1, used: 0 })).body.code).toBe(40000);
    expect((await set(admin.accountId, undefined)).body.code).toBe(40000);
    expect((await read('%00')).body.code).toBe(40000);
  });

  it('is 401 without a session, also with an API key of an admin', async () => {
    for (const credential of [undefined, admin.apiKey, 'nonsense']) {
      const { status, headers, body } = await service.call('GET', pathOf(admin.accountId), credential);
      expect([status, body.code, headers.get('www-authenticate')]).toEqual([401, 40100, 'Bearer']);
    }
  });

  it('is 403 for any account that is not an admin', async () => {
    const { status, body } = await set(admin.accountId, { total: 1 }, userToken);
    expect([status, body.code, body.data]).toEqual([403, 40300, {}]);
  });

  it('is 404 for an unknown account', async () => {
    for (const { status, body } of [await read('acct_unknown'), await set('acct_unknown', { total: 1 })]) {
      expect([status, body]).toEqual([404, { code: 40401, data: {}, message: 'no such account' }]);
    }
  });
});
