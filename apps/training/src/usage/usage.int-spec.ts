import { newId } from '@inference/database';
import { reconcile } from '@inference/metering';
import {
  createTestDatabase,
  insertAccount,
  publishPrices,
  publishTrainingPrice,
  type TestAccount,
  type TestDatabase,
  TestPool,
  waitForLock,
} from '@inference/testing';
import {
  DEFAULT_QUOTA,
  exactData,
  type RunningTraining,
  startTraining,
  TRAINER_SECRET,
  USAGE,
} from '../training.fixture';

const RATE_PICOS = 3_000_000n;
const PLENTY = 10n ** 15n;
const SECOND_SECRET = `second-${TRAINER_SECRET}`;

let database: TestDatabase;
let service: RunningTraining;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTraining({
    DATABASE_URL: database.urlFor('training'),
    TRAINER_CREDENTIALS: `${TRAINER_SECRET}, ${SECOND_SECRET}`,
  });
});
beforeEach(async () => {
  await publishTrainingPrice(database.pool, RATE_PICOS);
});
afterAll(async () => {
  await service.app.close();
  await database.drop();
});

const account = (balancePicos = PLENTY) => insertAccount(database.pool, { balancePicos });
const usageOf = ({ accountId }: TestAccount, overrides: object = {}) => ({
  id: newId('rec'),
  account_id: accountId,
  model: 'acme/base-7b',
  tokens: 1_000,
  ...overrides,
});
const record = (content: unknown, secret: string | undefined = TRAINER_SECRET) =>
  service.call('POST', USAGE, secret, content);

/** Returns the balance, used quota, training records and usage events of an account. */
async function booksOf({ accountId }: TestAccount) {
  const { rows } = await database.pool.query(
    `SELECT (SELECT balance_picos FROM wallet.wallets WHERE account_id = $1) AS balance,
       (SELECT coalesce(sum(used_tokens), 0)::int FROM training.quotas WHERE account_id = $1) AS used,
       (SELECT count(*)::int FROM training.usage_records WHERE account_id = $1) AS records,
       (SELECT count(*)::int FROM metering.usage_events WHERE account_id = $1) AS events`,
    [accountId],
  );
  return rows[0] as { balance: bigint; used: number; records: number; events: number };
}

/** Asserts that the report is refused as expected and changes nothing. */
async function expectRefusal(of: TestAccount, content: unknown, expected: [number, number, string]) {
  const before = await booksOf(of);
  const { status, body } = await record(content);
  expect([status, body.code, body.message]).toEqual(expected);
  expect(body.data).toEqual({});
  expect(await booksOf(of)).toEqual(before);
}

describe('recorded usage', () => {
  it('is stored as a usage event at the published price and debited from the wallet', async () => {
    const of = await account();
    const usage = usageOf(of);
    const reply = await record(usage);
    expect([reply.status, reply.body.code]).toEqual([201, 0]);
    expect(exactData(reply)).toEqual({
      ...usage,
      tokens: '1000',
      cost: '0.003',
      currency: 'USD',
      recorded_at: expect.stringMatching(/^20.*Z$/),
    });
    expect(await booksOf(of)).toEqual({
      balance: PLENTY - 3_000_000_000n,
      used: 1_000,
      records: 1,
      events: 1,
    });
    const { rows } = await database.pool.query(
      `SELECT api_key_id, model, entrypoint, endpoint, input_tokens + output_tokens AS tokens, estimated, outcome,
         cost_picos, cost_usd_picos, lines::text
       FROM metering.usage_events WHERE account_id = $1`,
      [of.accountId],
    );
    expect(rows).toEqual([
      expect.objectContaining({
        api_key_id: null,
        model: 'training',
        entrypoint: 'training',
        tokens: 1_000n,
        estimated: false,
        cost_picos: 3_000_000_000n,
        cost_usd_picos: 3_000_000_000n,
      }),
    ]);
  });

  it('is returned unchanged when it is reported again, also after a price change or by another trainer', async () => {
    const of = await account();
    const usage = usageOf(of);
    const first = await record(usage);
    const books = await booksOf(of);
    await publishPrices(database.pool, []);
    const again = await record(usage, SECOND_SECRET);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(await booksOf(of)).toEqual(books);
  });

  it('has a cost in USD by the rate of the day, rounded as in the gateway', async () => {
    const of = await insertAccount(database.pool, { balancePicos: PLENTY, currency: 'CNY' });
    await expectRefusal(of, usageOf(of), [503, 50303, 'no exchange rate to USD is stored']);
    await database.pool.query(`INSERT INTO pricing.exchange_rates VALUES ('2026-01-01', '0.1412345678')`);
    await publishTrainingPrice(database.pool, 25n);
    const { body } = await record(usageOf(of, { tokens: 1 }));
    expect(body.data).toMatchObject({ cost: 2.5e-11, currency: 'CNY' });
    const { rows } = await database.pool.query<{ cost_usd_picos: bigint }>(
      'SELECT cost_usd_picos FROM metering.usage_events WHERE account_id = $1',
      [of.accountId],
    );
    // 25 × 0.1412345678 = 3.53…
    expect(rows).toEqual([{ cost_usd_picos: 4n }]);
  });

  it('may use all of the quota and the wallet, to the token and pico', async () => {
    const of = await account(RATE_PICOS * BigInt(DEFAULT_QUOTA));
    expect((await record(usageOf(of, { tokens: DEFAULT_QUOTA }))).status).toBe(201);
    expect(await booksOf(of)).toMatchObject({ balance: 0n, used: DEFAULT_QUOTA });
  });

  it('can spend the money of expired leases', async () => {
    const of = await account(RATE_PICOS);
    await lease(of, RATE_PICOS, -1);
    expect((await record(usageOf(of, { tokens: 1 }))).status).toBe(201);
  });

  it('waits until a gateway returns unused money', async () => {
    const of = await account(RATE_PICOS);
    const leaseId = await lease(of, RATE_PICOS, 60);
    const listener = await database.pool.connect();
    await listener.query('LISTEN lease_recall');
    const recalled = new Promise((resolve) =>
      listener.once('notification', ({ payload }) => resolve(payload)),
    );
    const recording = record(usageOf(of, { tokens: 1 }));
    expect(await recalled).toBe(of.accountId);
    await database.pool.query('SELECT wallet.return_lease($1, 0, true)', [leaseId]);
    expect((await recording).status).toBe(201);
    await listener.query('UNLISTEN *');
    listener.release();
  });
});

async function lease({ accountId }: TestAccount, picos: bigint, seconds: number): Promise<string> {
  const id = newId('lse');
  await database.pool.query("SELECT wallet.draw_lease($1, NULL, NULL, $2, 'gw', $3, $3, $4)", [
    accountId,
    id,
    picos,
    seconds,
  ]);
  return id;
}

describe('the status', () => {
  it.each([
    ['id', [undefined, '', 7, null, 'x'.repeat(129), 'nul\0']],
    ['account_id', [undefined, '', 7, 'someone', 'acct_', `acct_${'x'.repeat(65)}`]],
    ['model', [undefined, '', ['m'], 'x'.repeat(201), '\ud800']],
    ['tokens', [undefined, 0, -1, 1.5, '7', 10 ** 12 + 1, 2 ** 60]],
  ])('is 400 for a faulty %s', async (name, values) => {
    const of = await account();
    for (const value of values) {
      const { status, body } = await record(usageOf(of, { [name]: value }));
      expect([value, status, body.code]).toEqual([value, 400, 40000]);
      expect(body.message).toContain(name);
    }
    expect(await booksOf(of)).toMatchObject({ records: 0 });
  });

  it('is 400 for an unknown field, and for a body that is not an object', async () => {
    expect((await record(usageOf(await account(), { gpu_seconds: 7 }))).body.code).toBe(40000);
    for (const content of ['[]', 'null', '{', '']) expect((await record(content)).status).toBe(400);
  });

  it('is 401 for any credential but a trainer’s', async () => {
    const of = await account();
    for (const secret of [of.apiKey, TRAINER_SECRET.slice(1), `${TRAINER_SECRET}x`]) {
      const { status, body } = await record(usageOf(of), secret);
      expect([status, body.code]).toEqual([401, 40100]);
    }
    expect((await service.call('POST', USAGE, undefined, usageOf(of))).status).toBe(401);
    // The credential of a trainer is refused on other routes.
    expect((await service.call('GET', '/v1/capabilities', TRAINER_SECRET)).status).toBe(401);
  });

  it('is 401 for every request if no credential is configured', async () => {
    const closed = await startTraining({
      DATABASE_URL: database.urlFor('training'),
      TRAINER_CREDENTIALS: '',
    });
    const { status } = await closed.call('POST', USAGE, TRAINER_SECRET, usageOf(await account()));
    expect(status).toBe(401);
    await closed.app.close();
  });

  it('is 402 if the wallet is short of one pico', async () => {
    const of = await account(RATE_PICOS * 1_000n - 1n);
    await expectRefusal(of, usageOf(of), [402, 40200, 'the wallet does not cover this amount']);
  });

  it('is 402 with another code if running requests hold the money', async () => {
    const of = await account(RATE_PICOS);
    await lease(of, 1n, 60);
    await expectRefusal(of, usageOf(of, { tokens: 1 }), [
      402,
      40201,
      'the wallet covers this amount only with money that is set aside for requests under way',
    ]);
  });

  it('is 403 for one token above the quota, with any balance', async () => {
    const of = await account(0n);
    const message = 'the token quota of the account does not allow so many tokens';
    await expectRefusal(of, usageOf(of, { tokens: DEFAULT_QUOTA + 1 }), [403, 40301, message]);
    await database.pool.query('INSERT INTO training.quotas VALUES ($1, 10, 0)', [of.accountId]);
    await expectRefusal(of, usageOf(of, { tokens: 11 }), [403, 40301, message]);
  });

  it('is 404 for an unknown account', async () => {
    const { status, body } = await record({ ...usageOf(await account()), account_id: 'acct_unknown' });
    expect([status, body]).toEqual([404, { code: 40401, data: {}, message: 'no such account' }]);
  });

  it('is 409 for an id that was used for different content', async () => {
    const [of, other] = [await account(), await account()];
    const usage = usageOf(of);
    await record(usage);
    const message = 'this id was already used for a different record';
    for (const change of [{ tokens: 1_001 }, { model: 'another' }, { account_id: other.accountId }]) {
      await expectRefusal(other, { ...usage, ...change }, [409, 40901, message]);
    }
    expect(await booksOf(of)).toMatchObject({ records: 1, used: 1_000 });
  });

  it('is 409 for one of two accounts that use an id concurrently', async () => {
    const of = [await account(), await account()];
    const holder = await database.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM wallet.wallets FOR UPDATE');
    const id = newId('rec');
    const replies = of.map((one) => record(usageOf(one, { id })));
    await waitForLock(database.pool, 2);
    await holder.query('COMMIT');
    holder.release();
    expect((await Promise.all(replies)).map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it('is 413 for a body that is too large, and 415 for one that is not JSON', async () => {
    const large = await record(usageOf(await account(), { model: 'x'.repeat(20_000) }));
    expect([large.status, large.body.code]).toEqual([413, 41300]);
    const text = await service.call('POST', USAGE, TRAINER_SECRET, 'x', { 'Content-Type': 'text/plain' });
    expect([text.status, text.body.code]).toEqual([415, 41500]);
  });

  it('is 503 while no price is published', async () => {
    const unpriced = await createTestDatabase();
    const other = await startTraining({ DATABASE_URL: unpriced.urlFor('training') });
    const of = await insertAccount(unpriced.pool, { balancePicos: PLENTY });
    // A model of this name is not the price of training.
    await publishPrices(unpriced.pool, [{ slug: 'training', unit: 'per_million_tokens', ratePicos: 1n }]);
    const { status, body } = await other.call('POST', USAGE, TRAINER_SECRET, usageOf(of));
    await other.app.close();
    await unpriced.drop();
    expect([status, body.code, body.message]).toEqual([503, 50301, 'no price of training is published']);
  });

  it('is 503 while the database is unavailable, and the report can be sent again', async () => {
    const away = await startTraining({ DATABASE_URL: 'postgres://u:p@127.0.0.1:1/none' });
    const { status, body } = await away.call('POST', USAGE, TRAINER_SECRET, usageOf(await account()));
    expect([status, body]).toEqual([503, { code: 50300, data: {}, message: 'database unavailable' }]);
    await away.app.close();
  });
});

describe("the service's own database role", () => {
  it('has only the rights that the service needs', async () => {
    const pool = TestPool.of({ url: database.urlFor('training'), applicationName: 'test', size: 1 });
    for (const statement of [
      'SELECT FROM training.usage_records',
      'INSERT INTO training.quotas (account_id, used_tokens) VALUES ($$a$$, 1)',
      'UPDATE training.quotas SET used_tokens = 0',
      'DELETE FROM training.quotas',
      'UPDATE training.quota_changes SET to_tokens = 0',
      'DELETE FROM training.quota_changes',
      'UPDATE wallet.wallets SET balance_picos = 0',
      'SELECT metering.settle($$x$$, $$[]$$)',
      'SELECT wallet.reclaim_expired($$a$$)',
      'SELECT FROM metering.usage_events',
      'UPDATE pricing.model_prices SET rate_picos = 0',
      'INSERT INTO pricing.training_prices VALUES (1, 0, 0)',
      'UPDATE pricing.training_prices SET token_rate_picos = 0',
      'SELECT email FROM accounts.accounts',
    ]) {
      await expect(pool.query(statement)).rejects.toMatchObject({ code: '42501' });
    }
    await pool.end();
    const { rows } = await database.pool.query<{ name: string }>(
      `SELECT p.oid::regproc::text AS name FROM pg_proc p, unnest(ARRAY['console', 'gateway', 'agent', 'memo']) AS r (role)
       WHERE p.pronamespace = 'training'::regnamespace AND has_function_privilege(r.role, p.oid, 'EXECUTE')`,
    );
    expect(rows).toEqual([]);
  });
});

it('leaves a consistent ledger', async () => {
  // This includes the events of the test that uses yuan at an exchange rate of its own.
  expect(await reconcile(database.pool)).toEqual([]);
});
