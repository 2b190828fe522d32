import fc from 'fast-check';
import {
  createTestDatabase,
  insertAccount,
  insertApiKey,
  publishPrices,
  type TestAccount,
  type TestDatabase,
  TestPool,
} from '@inference/testing';
import { reconcile } from './reconcile/checks.repository';
import {
  draw as drawAs,
  type DrawOptions,
  type EventOptions,
  eventOf,
  MODEL,
  next,
  RATE,
  settle as settleAs,
  walletOf as walletIn,
} from './settlement.fixture';

/** The database functions behind leases and settlement, called with the gateway's own rights. */

let database: TestDatabase;
let gateway: TestPool;
let priceListId: bigint;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = TestPool.of({ url: database.urlFor('gateway'), applicationName: 'gateway', size: 8 });
  priceListId = await publishPrices(database.pool, [
    { slug: MODEL, unit: 'per_million_tokens', ratePicos: RATE },
  ]);
});
afterAll(async () => {
  await gateway.end();
  await database.drop();
});

const event = (options: Omit<EventOptions, 'priceListId'>) => eventOf({ priceListId, ...options });
const settle = (events: object[], id?: string) => settleAs(gateway, events, id);
const draw = (account: TestAccount, need: bigint, want?: bigint, options?: DrawOptions) =>
  drawAs(gateway, account, need, want, options);
const walletOf = (account: TestAccount) => walletIn(database.pool, account);

const clean = async () => expect(await reconcile(database.pool)).toEqual([]);

describe('wallet.draw_lease', () => {
  it('reserves money, never more than the free balance', async () => {
    const account = await insertAccount(database.pool, { balancePicos: 100n });
    expect(await draw(account, 60n)).toMatchObject({ granted_picos: 60n });
    expect(await draw(account, 41n)).toMatchObject({
      lease_id: null,
      refusal: 'balance',
      elsewhere_picos: 60n,
    });
    expect(await draw(account, 40n)).toMatchObject({ granted_picos: 40n });
    expect(await walletOf(account)).toEqual({ balance_picos: 100n, leased_picos: 100n });
  });

  it('grants at most a quarter of the free balance beyond the required amount', async () => {
    const account = await insertAccount(database.pool, { balancePicos: 100n });
    expect(await draw(account, 10n, 1_000n)).toMatchObject({ granted_picos: 25n });
  });

  it('extends a valid lease and opens a new one if the lease is gone', async () => {
    const account = await insertAccount(database.pool, { balancePicos: 100n });
    const first = await draw(account, 10n);
    expect(await draw(account, 5n, 5n, { current: first.lease_id! })).toMatchObject({
      lease_id: first.lease_id,
    });
    await gateway.query('SELECT wallet.return_lease($1, 0, true)', [first.lease_id]);
    const second = await draw(account, 5n, 5n, { current: first.lease_id! });
    expect(second.lease_id).not.toBe(first.lease_id);
    expect(await walletOf(account)).toEqual({ balance_picos: 100n, leased_picos: 5n });
  });

  it('reclaims expired leases', async () => {
    const account = await insertAccount(database.pool, { balancePicos: 100n });
    await draw(account, 100n, 100n, { ttl: 0 });
    expect(await draw(account, 100n)).toMatchObject({ granted_picos: 100n });
    await clean();
  });

  it('respects the spending limit of a key', async () => {
    const account = await insertAccount(database.pool, { balancePicos: 100n * RATE });
    const { apiKeyId } = await insertApiKey(database.pool, account.accountId, {
      spendLimitPicos: 10n * RATE,
    });
    const lease = await draw(account, 10n * RATE, 10n * RATE, { key: apiKeyId });
    expect(await draw(account, RATE, RATE, { key: apiKeyId })).toMatchObject({ refusal: 'key_limit' });
    expect(
      await settle([event({ account, leaseId: lease.lease_id, tokens: 4, limited: true, apiKeyId })]),
    ).toEqual([]);
    await gateway.query('SELECT wallet.return_lease($1, 0, true)', [lease.lease_id]);
    expect(await draw(account, 7n * RATE, 7n * RATE, { key: apiKeyId })).toMatchObject({
      refusal: 'key_limit',
    });
    expect(await draw(account, 6n * RATE, 6n * RATE, { key: apiKeyId })).toMatchObject({
      granted_picos: 6n * RATE,
    });
    await clean();
  });

  it('refuses a key of another account and an unknown account', async () => {
    const account = await insertAccount(database.pool, { balancePicos: 100n });
    const other = await insertAccount(database.pool);
    expect(await draw(account, 1n, 1n, { key: other.apiKeyId })).toMatchObject({ refusal: 'key_limit' });
    expect(await draw({ ...account, accountId: 'acct_unknown' }, 1n)).toMatchObject({ refusal: 'balance' });
  });
});

describe('wallet.renew_leases, return_lease and reclaim_expired_leases', () => {
  it('renews valid leases and returns them', async () => {
    const account = await insertAccount(database.pool, { balancePicos: 100n });
    const { lease_id: id } = await draw(account, 10n);
    const { rows } = await gateway.query('SELECT wallet.renew_leases($1, 60) AS id', [[id, 'lse_unknown']]);
    expect(rows).toEqual([{ id }]);
  });

  it('returns part of the money, then the rest', async () => {
    const account = await insertAccount(database.pool, { balancePicos: 100n });
    const { lease_id: id } = await draw(account, 10n);
    await gateway.query('SELECT wallet.return_lease($1, 4, false)', [id]);
    expect((await walletOf(account)).leased_picos).toBe(6n);
    await gateway.query('SELECT wallet.return_lease($1, 0, true)', [id]);
    expect((await walletOf(account)).leased_picos).toBe(0n);
    await clean();
  });

  it('removes every expired lease and no other', async () => {
    const account = await insertAccount(database.pool, { balancePicos: 100n });
    await draw(account, 10n, 10n, { ttl: 0 });
    // A draw reclaims expired leases of its own wallet, so the remaining lease is of another wallet.
    const other = await insertAccount(database.pool, { balancePicos: 100n });
    await draw(other, 20n);
    await gateway.query('SELECT wallet.reclaim_expired_leases()');
    expect((await walletOf(account)).leased_picos).toBe(0n);
    expect((await walletOf(other)).leased_picos).toBe(20n);
  });
});

describe('metering.settle', () => {
  it('records, rolls up and debits a batch in one transaction', async () => {
    const account = await insertAccount(database.pool, { balancePicos: 100n * RATE });
    const { lease_id: leaseId } = await draw(account, 50n * RATE);
    await settle([event({ account, leaseId, tokens: 3 }), event({ account, leaseId, tokens: 4 })]);
    expect(await walletOf(account)).toEqual({ balance_picos: 93n * RATE, leased_picos: 43n * RATE });
    const { rows } = await database.pool.query(
      'SELECT sum(tokens) AS tokens FROM metering.hourly_rollup WHERE account_id = $1',
      [account.accountId],
    );
    expect(rows).toEqual([{ tokens: 7n }]);
    await clean();
  });

  it('rolls up each API key of its own, and requests without one', async () => {
    const account = await insertAccount(database.pool, { balancePicos: 100n * RATE });
    const { apiKeyId: other } = await insertApiKey(database.pool, account.accountId);
    const { lease_id: leaseId } = await draw(account, 50n * RATE);
    const keyless = () => ({ ...event({ account, leaseId, tokens: 1 }), api_key_id: null });
    const keyed = (tokens: number, apiKeyId = account.apiKeyId) =>
      event({ account, leaseId, tokens, apiKeyId });
    await settle([keyless(), keyed(2), keyed(4, other)]);
    await settle([keyless(), keyed(8)]);
    const { rows } = await database.pool.query(
      'SELECT api_key_id AS key, sum(tokens) AS tokens FROM metering.hourly_rollup WHERE account_id = $1 GROUP BY 1 ORDER BY 2',
      [account.accountId],
    );
    expect(rows).toEqual([
      { key: '', tokens: 2n },
      { key: other, tokens: 4n },
      { key: account.apiKeyId, tokens: 10n },
    ]);
    await clean();
  });

  it('settles a repeated batch only once, also if both run concurrently', async () => {
    const account = await insertAccount(database.pool, { balancePicos: 100n * RATE });
    const { lease_id: leaseId } = await draw(account, 50n * RATE);
    const batch = [event({ account, leaseId, tokens: 5 })];
    const id = next('stl');
    await Promise.all([settle(batch, id), settle(batch, id), settle(batch, id)]);
    await settle(batch, id);
    expect((await walletOf(account)).balance_picos).toBe(95n * RATE);
    await clean();
  });

  it('pays an event without a lease from the free balance, and refuses it if the balance is too low', async () => {
    const account = await insertAccount(database.pool, { balancePicos: 10n * RATE });
    const covered = event({ account, leaseId: 'lse_gone', tokens: 6 });
    const refused = event({ account, leaseId: 'lse_gone', tokens: 5 });
    const id = next('stl');
    expect(await settle([covered, refused], id)).toEqual([refused.request_id]);
    expect(await settle([covered, refused], id)).toEqual([refused.request_id]);
    expect(await walletOf(account)).toEqual({ balance_picos: 4n * RATE, leased_picos: 0n });
    await clean();
  });

  it('does not use money that other leases hold', async () => {
    const account = await insertAccount(database.pool, { balancePicos: 10n * RATE });
    await draw(account, 8n * RATE);
    const late = event({ account, leaseId: 'lse_gone', tokens: 3 });
    expect(await settle([late])).toEqual([late.request_id]);
    await clean();
  });

  it('refuses an event of a lost lease that exceeds the key limit', async () => {
    const account = await insertAccount(database.pool, { balancePicos: 100n * RATE });
    const { apiKeyId } = await insertApiKey(database.pool, account.accountId, { spendLimitPicos: 5n * RATE });
    const late = event({ account, leaseId: 'lse_gone', tokens: 6, limited: true, apiKeyId });
    const fits = event({ account, leaseId: 'lse_gone', tokens: 5, limited: true, apiKeyId });
    expect(await settle([late, fits])).toEqual([late.request_id]);
    await clean();
  });

  it('records free requests without a transfer', async () => {
    const account = await insertAccount(database.pool);
    expect(await settle([event({ account, leaseId: null, tokens: 0 })])).toEqual([]);
    const { rowCount } = await database.pool.query('SELECT FROM wallet.transfers WHERE account_id = $1', [
      account.accountId,
    ]);
    expect(rowCount).toBe(0);
    await clean();
  });

  it('keeps all sums consistent and no balance negative for any mix of draws, settlements and returns', async () => {
    const step = fc.record({
      who: fc.nat({ max: 2 }),
      draw: fc.bigInt({ min: 0n, max: 40n * RATE }),
      ttl: fc.constantFrom(0, 60),
      tokens: fc.array(fc.nat({ max: 30 }), { maxLength: 4 }),
      close: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const accounts = await Promise.all(
          [0n, 50n, 200n].map((n) => insertAccount(database.pool, { balancePicos: n * RATE })),
        );
        const run = async ({ who, draw: amount, ttl, tokens, close }: (typeof steps)[number]) => {
          const account = accounts[who]!;
          const { lease_id: leaseId } = await draw(account, amount, amount + 5n, { ttl });
          const batch = tokens.map((count) => event({ account, leaseId, tokens: count }));
          if (batch.length > 0) await settle(batch);
          if (close && leaseId) await gateway.query('SELECT wallet.return_lease($1, 0, true)', [leaseId]);
        };
        await Promise.all(steps.map(run));
      }),
      { numRuns: 25 },
    );
    await clean();
  });
});

describe('the rights of the gateway', () => {
  it('allow its functions and reads, but no write to the ledger', async () => {
    for (const statement of [
      'UPDATE wallet.wallets SET balance_picos = 1',
      "INSERT INTO wallet.entries VALUES ('a', 'b', 1)",
      'DELETE FROM metering.usage_events',
      "INSERT INTO pricing.price_lists (kind) VALUES ('models')",
      'SELECT password_hash FROM accounts.accounts',
    ]) {
      await expect(gateway.query(statement)).rejects.toMatchObject({ code: '42501' });
    }
  });
});
