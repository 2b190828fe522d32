import { CREDENTIAL_ENTITIES } from '@inference/guards';
import { reconcile } from '@inference/metering';
import {
  createTestDatabase,
  insertAccount,
  type TestAccount,
  type TestDatabase,
  TestPool,
  waitFor,
} from '@inference/testing';
import { InsufficientFundsError, postTransfer, WALLET_ENTITIES, withLeaseRecall } from '@inference/wallet';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { ENTITIES } from '../entities';
import { walletOf } from '../testing/gateway.fixture';
import { type Hold } from './lease';
import { InsufficientBalanceError } from './lease-allocator';
import { callerOf, startLeaseManager, type TestLeaseManager } from './lease-manager.fixture';

/** Deductions of the console from a wallet whose money is in the leases of two gateways. */

const BALANCE = 2_000n;
/** Neither renewed nor returned by time, so only a recall returns money. */
const LASTING = { LEASE_TTL_SECONDS: '3600' };

let database: TestDatabase;
let asConsole: TestPool;
let managers: [TestLeaseManager, TestLeaseManager];
let deductions = 0;

beforeAll(async () => {
  Logger.overrideLogger(false);
  database = await createTestDatabase(ENTITIES);
  const consoleOptions = { url: database.urlFor('console'), applicationName: 'console', size: 4 };
  asConsole = await TestPool.withEntities(consoleOptions, [...CREDENTIAL_ENTITIES, ...WALLET_ENTITIES]);
  const start = () => startLeaseManager(database.urlFor('gateway'), LASTING, false);
  managers = [await start(), await start()];
});
afterAll(async () => {
  await Promise.all(managers.map((manager) => manager.stop()));
  expect(await reconcile(database.pool)).toEqual([]);
  await asConsole.end();
  await database.drop();
});

const account = () => insertAccount(database.pool, { balancePicos: BALANCE });
const hold = (of: TestAccount, amount: bigint, by: 0 | 1 = 0) =>
  managers[by].manager.hold(callerOf(of), amount);
const deduct = ({ accountId }: TestAccount, amountPicos: bigint) =>
  withLeaseRecall(asConsole, () =>
    asConsole.transaction((sql) =>
      postTransfer(sql, {
        kind: 'adjustment',
        accountId,
        amountPicos: -amountPicos,
        counterpart: 'equity:adjustments',
        reference: `deduction ${deductions++}`,
        description: 'test',
      }),
    ),
  );

describe('a deduction', () => {
  it('takes the whole balance while all leases are idle', async () => {
    const of = await account();
    for (const by of [0, 1] as const) (await hold(of, 300n, by)).release();
    expect((await walletOf(database.pool, of.accountId)).leased).toBeGreaterThan(600n);
    await deduct(of, BALANCE);
    expect(await walletOf(database.pool, of.accountId)).toMatchObject({ balance: 0n, leased: 0n });
  });

  it('takes everything but what requests hold', async () => {
    const of = await account();
    const [a, b] = [await hold(of, 300n, 0), await hold(of, 500n, 1)];
    await expect(deduct(of, 1_201n)).rejects.toThrow(InsufficientFundsError);
    await deduct(of, 1_200n);
    expect(await walletOf(database.pool, of.accountId)).toMatchObject({ balance: 800n, leased: 800n });
    a.release();
    await deduct(of, 300n);
    b.release();
  });

  it('takes everything but what requests hold while requests keep coming', async () => {
    const of = await account();
    let isOver = false;
    const request = async (by: 0 | 1) => {
      while (!isOver) {
        const held = await hold(of, BigInt(1 + Math.floor(Math.random() * 50)), by);
        await new Promise((resolve) => setTimeout(resolve, 5));
        held.release();
      }
    };
    const requests = Array.from({ length: 4 }, (_, index) => request((index % 2) as 0 | 1));
    const leased = async () => (await walletOf(database.pool, of.accountId)).leased;
    await waitFor(async () => (await leased()) > 500n);
    await deduct(of, BALANCE - 250n).finally(() => (isOver = true));
    await Promise.all(requests);
    expect((await walletOf(database.pool, of.accountId)).balance).toBe(250n);
  });
});

describe('holds, releases and deductions at the same time', () => {
  const step = fc.record({
    by: fc.constantFrom(0 as const, 1 as const),
    amount: fc.integer({ min: 1, max: 1_200 }).map(BigInt),
    does: fc.constantFrom('hold', 'hold and release', 'deduct'),
  });
  const rounds = fc.array(fc.array(step, { minLength: 2, maxLength: 6 }), { minLength: 1, maxLength: 3 });

  it('never take more than the wallet has', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
        const of = await account();
        const holds: Hold[] = [];
        let deducted = 0n;
        const run = async ({ by, amount, does }: (typeof all)[0][0]) => {
          if (does === 'deduct') {
            await deduct(of, amount);
            deducted += amount;
            return;
          }
          const held = await hold(of, amount, by);
          if (does === 'hold') holds.push(held);
          else held.release();
        };
        for (const round of all) {
          for (const result of await Promise.allSettled(round.map(run)))
            if (result.status === 'rejected' && !(result.reason instanceof InsufficientBalanceError))
              expect(result.reason).toBeInstanceOf(InsufficientFundsError);
          const wallet = await walletOf(database.pool, of.accountId);
          const held = holds.reduce((sum, { amountPicos }) => sum + amountPicos, 0n);
          expect(wallet.balance).toBe(BALANCE - deducted);
          expect(held).toBeLessThanOrEqual(wallet.leased);
          expect(wallet.leased).toBeLessThanOrEqual(wallet.balance);
        }
        for (const held of holds) held.release();
        if (deducted < BALANCE) await deduct(of, BALANCE - deducted);
      }),
      { numRuns: 15 },
    );
  });
});
