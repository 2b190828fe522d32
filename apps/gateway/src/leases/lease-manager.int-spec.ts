import { isDatabaseUnavailable } from '@inference/database';
import { reconcile } from '@inference/metering';
import {
  createTestDatabase,
  insertAccount,
  insertApiKey,
  type TestAccount,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { ENTITIES } from '../entities';
import { GatewayError } from '../errors/openai-error';
import { type Environment, startDatabaseProxy, walletOf } from '../testing/gateway.fixture';
import { type Hold } from './lease';
import { callerOf, codeOf, startLeaseManager, type TestLeaseManager } from './lease-manager.fixture';

/** Lease managers of several processes on one wallet. */

let database: TestDatabase;
let open: TestLeaseManager[] = [];

async function startManager(overrides: Environment = {}, timed = true): Promise<TestLeaseManager> {
  const testManager = await startLeaseManager(
    overrides.DATABASE_URL ?? database.urlFor('gateway'),
    overrides,
    timed,
  );
  open.push(testManager);
  return testManager;
}

beforeAll(async () => {
  Logger.overrideLogger(false);
  database = await createTestDatabase(ENTITIES);
});
afterEach(async () => {
  await Promise.all(open.map((manager) => manager.stop()));
  open = [];
});
afterAll(() => database.drop());

const account = (balancePicos: bigint) => insertAccount(database.pool, { balancePicos });
const wallet = ({ accountId }: TestAccount) => walletOf(database.pool, accountId);
const leased = async (of: TestAccount) => (await wallet(of)).leased;

describe('a lease', () => {
  it('covers all requests that fit, and one draw serves many requests', async () => {
    const of = await account(10_000n);
    const { manager, pool } = await startManager();
    await manager.hold(callerOf(of), 100n);
    const before = await wallet(of);
    expect(before.leased).toBe(1_100n);
    const query = jest.spyOn(pool, 'query');
    const holds = await Promise.all(Array.from({ length: 10 }, () => manager.hold(callerOf(of), 100n)));
    expect(await wallet(of)).toEqual(before);
    for (const hold of holds) hold.release();
    await manager.hold(callerOf(of), 1_000n);
    expect(await wallet(of)).toEqual(before);
    expect(query).not.toHaveBeenCalled();
  });

  it('is not needed for a request that costs nothing', async () => {
    const of = await account(0n);
    const { manager } = await startManager();
    const hold = await manager.hold(callerOf(of), 0n);
    hold.settle(0n);
    expect(hold.lease).toBeNull();
    expect(await codeOf(manager.hold(callerOf(of), 1n))).toBe('insufficient_balance');
  });

  it('accepts a small request when a large one is refused', async () => {
    const of = await account(500n);
    const { manager } = await startManager();
    const [large, small] = await Promise.allSettled([
      manager.hold(callerOf(of), 501n),
      manager.hold(callerOf(of), 500n),
    ]);
    expect([large.status, small.status]).toEqual(['rejected', 'fulfilled']);
  });

  it('ends a hold only once', async () => {
    const of = await account(1_000n);
    const { manager } = await startManager();
    const hold = await manager.hold(callerOf(of), 600n);
    hold.settle(100n);
    hold.release();
    hold.abandon();
    expect(hold.lease).toMatchObject({ heldPicos: 0n, remainingPicos: 500n });
  });
});

describe('two lease managers on one wallet', () => {
  it('never serve more than the wallet holds, and can spend all of it', async () => {
    const affordable = 40;
    const of = await account(BigInt(affordable) * 700n);
    const managers = await Promise.all([startManager(), startManager()]);
    const holdOf = (i: number) => managers[i % 2]!.manager.hold(callerOf(of), 700n);
    const attempts = await Promise.allSettled(Array.from({ length: affordable * 10 }, (_, i) => holdOf(i)));
    let served = attempts.filter(({ status }) => status === 'fulfilled').length;
    // The lease of each manager may have a rest that is too small for one request.
    expect(served).toBeGreaterThanOrEqual(affordable - 2);
    expect(served).toBeLessThanOrEqual(affordable);
    await waitFor(async () => {
      const [a, b] = await Promise.allSettled([holdOf(0), holdOf(1)]);
      served += [a, b].filter(({ status }) => status === 'fulfilled').length;
      return served >= affordable;
    });
    expect(served).toBe(affordable);
    expect(await codeOf(holdOf(0))).toBe('insufficient_balance');
    expect(await codeOf(holdOf(1))).toBe('insufficient_balance');
    expect(await reconcile(database.pool)).toEqual([]);
  });

  it('share money: idle money of one is returned when the other asks', async () => {
    const of = await account(1_000n);
    const lasting = { LEASE_TTL_SECONDS: '3600' };
    const [a, b] = [await startManager(lasting, false), await startManager(lasting, false)];
    (await a.manager.hold(callerOf(of), 900n)).release();
    expect(await leased(of)).toBeGreaterThanOrEqual(900n);
    const hold = await waitFor(() => b.manager.hold(callerOf(of), 950n));
    expect(hold.amountPicos).toBe(950n);
    expect(await codeOf(a.manager.hold(callerOf(of), 100n))).toBe('insufficient_balance');
  });

  it('refuse a request only after the other one had half a second to return money, also with many requests', async () => {
    const of = await account(1_000n);
    const managers = [await startManager(), await startManager()];
    for (let turn = 0; turn < 6; turn++) {
      const askedAt = performance.now();
      const hold = await managers[turn % 2]!.manager.hold(callerOf(of), 600n).catch(() => null);
      if (hold) hold.release();
      else expect(performance.now() - askedAt).toBeGreaterThan(500);
    }
  });

  it('serve a request that the lease covers while another request waits for money', async () => {
    const of = await account(1_000n);
    const [a, b] = [await startManager(), await startManager()];
    await a.manager.hold(callerOf(of), 400n);
    (await b.manager.hold(callerOf(of), 300n)).release();
    const ended: string[] = [];
    const large = codeOf(b.manager.hold(callerOf(of), 900n)).then(() => ended.push('large'));
    await b.manager.hold(callerOf(of), 100n).then(() => ended.push('small'));
    await large;
    expect(ended).toEqual(['small', 'large']);
  });

  it('keep the money that a request holds, and return the rest', async () => {
    const of = await account(1_000n);
    const [a, b] = [await startManager(), await startManager()];
    const [held, ended] = [
      await a.manager.hold(callerOf(of), 300n),
      await a.manager.hold(callerOf(of), 600n),
    ];
    ended.release();
    await waitFor(() => b.manager.hold(callerOf(of), 700n));
    expect(await codeOf(b.manager.hold(callerOf(of), 1n))).toBe('insufficient_balance');
    expect(held.lease).toMatchObject({ heldPicos: 300n, remainingPicos: 0n, isValid: true });
  });

  it('enforce the limit of a key together, and only for that key', async () => {
    const of = await account(10_000n);
    const { apiKeyId } = await insertApiKey(database.pool, of.accountId, { spendLimitPicos: 1_000n });
    const [a, b] = [await startManager(), await startManager()];
    await a.manager.hold(callerOf(of, apiKeyId), 600n);
    expect(await codeOf(b.manager.hold(callerOf(of, apiKeyId), 500n))).toBe('key_spend_limit_reached');
    await waitFor(() => b.manager.hold(callerOf(of, apiKeyId), 400n));
    await b.manager.hold(callerOf(of), 5_000n);
    expect(await codeOf(b.manager.hold(callerOf(of, apiKeyId), 20_000n))).toBe('insufficient_balance');
    expect(await reconcile(database.pool)).toEqual([]);
  });
});

describe('the lifetime of a lease', () => {
  it('is renewed beyond its TTL while a request holds money', async () => {
    const of = await account(1_000n);
    const { manager } = await startManager({ LEASE_TTL_SECONDS: '1' });
    const hold = await manager.hold(callerOf(of), 500n);
    const expiry = async () => {
      const { rows } = await database.pool.query<{ expires_at: Date }>(
        'SELECT expires_at FROM wallet.leases WHERE id = $1',
        [hold.lease!.id],
      );
      return rows[0]!.expires_at.getTime();
    };
    const first = await expiry();
    await waitFor(async () => (await expiry()) > first + 500);
    expect(await leased(of)).toBeGreaterThanOrEqual(500n);
    expect(hold.lease!.isValid).toBe(true);
  });

  it('is replaced at the next renewal after it ended in the database', async () => {
    const of = await account(1_000n);
    const { manager } = await startManager({ LEASE_TTL_SECONDS: '1' });
    const lost = await manager.hold(callerOf(of), 100n);
    // One transaction that locks the wallet first, so that no renewal runs in between.
    await database.pool.query(`
      SELECT FROM wallet.wallets WHERE account_id = '${of.accountId}' FOR UPDATE;
      UPDATE wallet.leases SET expires_at = now() - interval '1 minute' WHERE account_id = '${of.accountId}';
      SELECT wallet.reclaim_expired_leases()`);
    await waitFor(() => !lost.lease!.isValid);
    const next = await manager.hold(callerOf(of), 1_000n);
    expect(next.lease!.id).not.toBe(lost.lease!.id);
    lost.release();
    expect(next.lease).toMatchObject({ heldPicos: 1_000n, remainingPicos: 0n });
    expect(await leased(of)).toBe(1_000n);
  });

  it('ends when no request has used it for a while', async () => {
    const of = await account(1_000n);
    const { manager } = await startManager();
    (await manager.hold(callerOf(of), 100n)).release();
    expect(await leased(of)).toBeGreaterThan(0n);
    await waitFor(async () => (await leased(of)) === 0n);
    expect(await wallet(of)).toMatchObject({ balance: 1_000n, leased: 0n, leases: 0n });
    expect((await manager.hold(callerOf(of), 1_000n)).amountPicos).toBe(1_000n);
  });

  it('ends with the process', async () => {
    const accounts = await Promise.all([account(1_000n), account(2_000n)]);
    const { manager, stop } = await startManager();
    for (const of of accounts) await manager.hold(callerOf(of), 100n);
    await stop();
    for (const of of accounts) expect(await wallet(of)).toMatchObject({ leased: 0n, leases: 0n });
  });
});

describe('without the database', () => {
  it('requests beyond the lease fail until the database is back', async () => {
    const of = await account(10_000n);
    const databaseProxy = await startDatabaseProxy(database.urlFor('gateway'));
    const { manager, stop } = await startManager({ DATABASE_URL: databaseProxy.url });
    await manager.hold(callerOf(of), 100n);
    databaseProxy.down();
    const failure: unknown = await manager.hold(callerOf(of), 5_000n).catch((error: unknown) => error);
    expect(isDatabaseUnavailable(failure)).toBe(true);
    expect((await manager.hold(callerOf(of), 1_000n)).amountPicos).toBe(1_000n);
    databaseProxy.up();
    expect((await waitFor(() => manager.hold(callerOf(of), 5_000n))).amountPicos).toBe(5_000n);
    await stop();
    await databaseProxy.close();
  });
});

describe('holds, settlements and releases in any order', () => {
  it('never holds more than the wallet has, and agrees with the database', async () => {
    const [a, b] = await Promise.all([startManager(), startManager()]);
    const step = fc.record({
      manager: fc.constantFrom(a, b),
      amount: fc.integer({ min: 1, max: 800 }),
      /** Ends one of the holds so far, if there is one. */
      ends: fc.option(fc.nat()),
    });
    const accountIds: string[] = [];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 4 }),
        async (rounds) => {
          const of = await account(2_000n);
          accountIds.push(of.accountId);
          const holds: Hold[] = [];
          for (const round of rounds) {
            const results = await Promise.allSettled(
              round.map(async ({ manager, amount, ends }) => {
                if (ends !== null) holds.splice(ends % (holds.length + 1), 1)[0]?.release();
                holds.push(await manager.manager.hold(callerOf(of), BigInt(amount)));
              }),
            );
            for (const result of results)
              if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(GatewayError);
            const held = holds.reduce((sum, { amountPicos }) => sum + amountPicos, 0n);
            expect(held).toBeLessThanOrEqual(2_000n);
            expect(held).toBeLessThanOrEqual(await leased(of));
          }
          const leases = new Set(holds.map(({ lease }) => lease!));
          for (const lease of leases) {
            expect(lease.heldPicos).toBe(
              holds
                .filter((hold) => hold.lease === lease)
                .reduce((sum, { amountPicos }) => sum + amountPicos, 0n),
            );
            // A recall returns money in memory first and in the database shortly after.
            await waitFor(async () => {
              const { rows } = await database.pool.query<{ amount_picos: bigint }>(
                'SELECT amount_picos FROM wallet.leases WHERE id = $1',
                [lease.id],
              );
              return rows[0]?.amount_picos === lease.remainingPicos + lease.heldPicos;
            });
          }
          for (const hold of holds) hold.release();
        },
      ),
      { numRuns: 12 },
    );
    await Promise.all([a.stop(), b.stop()]);
    const left = await database.pool.query('SELECT FROM wallet.leases WHERE account_id = ANY ($1)', [
      accountIds,
    ]);
    expect(left.rows).toHaveLength(0);
    expect(await reconcile(database.pool)).toEqual([]);
  });
});
