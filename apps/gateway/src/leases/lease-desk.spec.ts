import { Logger } from '@nestjs/common';
import fc from 'fast-check';
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
import { OpenAiError } from '../errors/openai-error';
import { type Environment, startWire, walletOf } from '../gateway.fixture';
import { type Hold } from './lease';
import { callerOf, codeOf, openDesk, type TestDesk } from './lease-desk.fixture';

/** Desks of several processes on one wallet, with a database each to themselves. */

let database: TestDatabase;
let open: TestDesk[] = [];

async function startDesk(overrides: Environment = {}, timed = true): Promise<TestDesk> {
  const testDesk = await openDesk(overrides.DATABASE_URL ?? database.urlFor('gateway'), overrides, timed);
  open.push(testDesk);
  return testDesk;
}

beforeAll(async () => {
  Logger.overrideLogger(false);
  database = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(open.map((desk) => desk.stop()));
  open = [];
});
afterAll(() => database.drop());

const account = (balancePicos: bigint) => insertAccount(database.pool, { balancePicos });
const wallet = ({ accountId }: TestAccount) => walletOf(database.pool, accountId);
const leased = async (of: TestAccount) => (await wallet(of)).leased;

describe('a lease', () => {
  it('covers the requests that fit, and one draw serves many', async () => {
    const of = await account(10_000n);
    const { desk, pool } = await startDesk();
    await desk.hold(callerOf(of), 100n);
    const standing = await wallet(of);
    expect(standing.leased).toBe(1_100n);
    pool.on('connect', () => expect('a new connection').toBe('needless'));
    const holds = await Promise.all(Array.from({ length: 10 }, () => desk.hold(callerOf(of), 100n)));
    expect(await wallet(of)).toEqual(standing);
    for (const hold of holds) hold.release();
    await desk.hold(callerOf(of), 1_000n);
    expect(await wallet(of)).toEqual(standing);
  });

  it('is not needed for what costs nothing', async () => {
    const of = await account(0n);
    const { desk } = await startDesk();
    const hold = await desk.hold(callerOf(of), 0n);
    hold.settle(0n);
    expect(hold.lease).toBeNull();
    expect(await codeOf(desk.hold(callerOf(of), 1n))).toBe('insufficient_balance');
  });

  it('lets a small request pass where a large one is refused', async () => {
    const of = await account(500n);
    const { desk } = await startDesk();
    const [large, small] = await Promise.allSettled([
      desk.hold(callerOf(of), 501n),
      desk.hold(callerOf(of), 500n),
    ]);
    expect([large.status, small.status]).toEqual(['rejected', 'fulfilled']);
  });

  it('ends a hold once only', async () => {
    const of = await account(1_000n);
    const { desk } = await startDesk();
    const hold = await desk.hold(callerOf(of), 600n);
    hold.settle(100n);
    hold.release();
    hold.abandon();
    expect(hold.lease).toMatchObject({ heldPicos: 0n, remainingPicos: 500n });
  });
});

describe('two desks on one wallet', () => {
  it('never serve more than the wallet holds, and all of it in the end', async () => {
    const affordable = 40;
    const of = await account(BigInt(affordable) * 700n);
    const desks = await Promise.all([startDesk(), startDesk()]);
    const holdOf = (i: number) => desks[i % 2]!.desk.hold(callerOf(of), 700n);
    const attempts = await Promise.allSettled(Array.from({ length: affordable * 10 }, (_, i) => holdOf(i)));
    let served = attempts.filter(({ status }) => status === 'fulfilled').length;
    // Each desk may be left with less than one request's money, in its lease.
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

  it('share: idle money of one comes back when the other asks', async () => {
    const of = await account(1_000n);
    const lasting = { LEASE_TTL_SECONDS: '3600' };
    const [a, b] = [await startDesk(lasting, false), await startDesk(lasting, false)];
    (await a.desk.hold(callerOf(of), 900n)).release();
    expect(await leased(of)).toBeGreaterThanOrEqual(900n);
    const hold = await waitFor(() => b.desk.hold(callerOf(of), 950n));
    expect(hold.amountPicos).toBe(950n);
    expect(await codeOf(a.desk.hold(callerOf(of), 100n))).toBe('insufficient_balance');
  });

  it('refuse nothing before the other one had half a second to give back, however often it is asked', async () => {
    const of = await account(1_000n);
    const desks = [await startDesk(), await startDesk()];
    for (let turn = 0; turn < 6; turn++) {
      const askedAt = performance.now();
      const hold = await desks[turn % 2]!.desk.hold(callerOf(of), 600n).catch(() => null);
      if (hold) hold.release();
      else expect(performance.now() - askedAt).toBeGreaterThan(500);
    }
  });

  it('do not keep a request waiting that the lease covers while another one looks for money', async () => {
    const of = await account(1_000n);
    const [a, b] = [await startDesk(), await startDesk()];
    await a.desk.hold(callerOf(of), 400n);
    (await b.desk.hold(callerOf(of), 300n)).release();
    const ended: string[] = [];
    const large = codeOf(b.desk.hold(callerOf(of), 900n)).then(() => ended.push('large'));
    await b.desk.hold(callerOf(of), 100n).then(() => ended.push('small'));
    await large;
    expect(ended).toEqual(['small', 'large']);
  });

  it('keep what a request holds, and give back the rest', async () => {
    const of = await account(1_000n);
    const [a, b] = [await startDesk(), await startDesk()];
    const [held, ended] = [await a.desk.hold(callerOf(of), 300n), await a.desk.hold(callerOf(of), 600n)];
    ended.release();
    await waitFor(() => b.desk.hold(callerOf(of), 700n));
    expect(await codeOf(b.desk.hold(callerOf(of), 1n))).toBe('insufficient_balance');
    expect(held.lease).toMatchObject({ heldPicos: 300n, remainingPicos: 0n, stands: true });
  });

  it('respect the limit of a key over both, and it binds no other key', async () => {
    const of = await account(10_000n);
    const { apiKeyId } = await insertApiKey(database.pool, of.accountId, { spendLimitPicos: 1_000n });
    const [a, b] = [await startDesk(), await startDesk()];
    await a.desk.hold(callerOf(of, apiKeyId), 600n);
    expect(await codeOf(b.desk.hold(callerOf(of, apiKeyId), 500n))).toBe('key_spend_limit_reached');
    await waitFor(() => b.desk.hold(callerOf(of, apiKeyId), 400n));
    await b.desk.hold(callerOf(of), 5_000n);
    expect(await codeOf(b.desk.hold(callerOf(of, apiKeyId), 20_000n))).toBe('insufficient_balance');
    expect(await reconcile(database.pool)).toEqual([]);
  });
});

describe('the life of a lease', () => {
  it('goes on while a request holds money, past its time', async () => {
    const of = await account(1_000n);
    const { desk } = await startDesk({ LEASE_TTL_SECONDS: '1' });
    const hold = await desk.hold(callerOf(of), 500n);
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
    expect(hold.lease!.stands).toBe(true);
  });

  it('ends unnoticed at most until the next renewal; then there is a new one', async () => {
    const of = await account(1_000n);
    const { desk } = await startDesk({ LEASE_TTL_SECONDS: '1' });
    const lost = await desk.hold(callerOf(of), 100n);
    // In one transaction, wallet first, or a renewal might come between.
    await database.pool.query(`
      SELECT FROM wallet.wallets WHERE account_id = '${of.accountId}' FOR UPDATE;
      UPDATE wallet.leases SET expires_at = now() - interval '1 minute' WHERE account_id = '${of.accountId}';
      SELECT wallet.sweep_leases()`);
    await waitFor(() => !lost.lease!.stands);
    const next = await desk.hold(callerOf(of), 1_000n);
    expect(next.lease!.id).not.toBe(lost.lease!.id);
    lost.release();
    expect(next.lease).toMatchObject({ heldPicos: 1_000n, remainingPicos: 0n });
    expect(await leased(of)).toBe(1_000n);
  });

  it('is over when nobody used it for a while', async () => {
    const of = await account(1_000n);
    const { desk } = await startDesk();
    (await desk.hold(callerOf(of), 100n)).release();
    expect(await leased(of)).toBeGreaterThan(0n);
    await waitFor(async () => (await leased(of)) === 0n);
    expect(await wallet(of)).toMatchObject({ balance: 1_000n, leased: 0n, leases: 0n });
    expect((await desk.hold(callerOf(of), 1_000n)).amountPicos).toBe(1_000n);
  });

  it('ends with the process', async () => {
    const accounts = await Promise.all([account(1_000n), account(2_000n)]);
    const { desk, stop } = await startDesk();
    for (const of of accounts) await desk.hold(callerOf(of), 100n);
    await stop();
    for (const of of accounts) expect(await wallet(of)).toMatchObject({ leased: 0n, leases: 0n });
  });
});

describe('without the database', () => {
  it('requests beyond the lease fail, and go on when it is back', async () => {
    const of = await account(10_000n);
    const wire = await startWire(database.urlFor('gateway'));
    const { desk, stop } = await startDesk({ DATABASE_URL: wire.url });
    await desk.hold(callerOf(of), 100n);
    wire.down();
    const failure: unknown = await desk.hold(callerOf(of), 5_000n).catch((error: unknown) => error);
    expect(isDatabaseUnavailable(failure)).toBe(true);
    expect((await desk.hold(callerOf(of), 1_000n)).amountPicos).toBe(1_000n);
    wire.up();
    expect((await waitFor(() => desk.hold(callerOf(of), 5_000n))).amountPicos).toBe(5_000n);
    await stop();
    await wire.close();
  });
});

describe('any order of holds, settlements and releases', () => {
  it('never holds more than the wallet has, and agrees with the database', async () => {
    const [a, b] = await Promise.all([startDesk(), startDesk()]);
    const step = fc.record({
      desk: fc.constantFrom(a, b),
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
              round.map(async ({ desk, amount, ends }) => {
                if (ends !== null) holds.splice(ends % (holds.length + 1), 1)[0]?.release();
                holds.push(await desk.desk.hold(callerOf(of), BigInt(amount)));
              }),
            );
            for (const result of results)
              if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(OpenAiError);
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
            // What a recall gives back leaves the memory first and the database a moment later.
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
