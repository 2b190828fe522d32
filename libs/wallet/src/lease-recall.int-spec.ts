import { NotificationChannel } from '@inference/database';
import { CREDENTIAL_ENTITIES } from '@inference/guards';
import { createTestDatabase, insertAccount, type TestDatabase, TestPool } from '@inference/testing';
import { withLeaseRecall } from './lease-recall';
import { InsufficientFundsError, postTransfer } from './ledger';
import { WALLET_ENTITIES } from './wallet.entity';
import { readWallet } from './wallets.repository';

let database: TestDatabase;
let asConsole: TestPool;
let channel: NotificationChannel;
/** The accounts that gateways were asked about, in order. */
let recalled: string[] = [];
let onRecall: (accountId: string) => void;
let attempts = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  asConsole = await TestPool.withEntities(
    { url: database.urlFor('console'), applicationName: 'console', size: 2 },
    [...CREDENTIAL_ENTITIES, ...WALLET_ENTITIES],
  );
  channel = new NotificationChannel(database.urlFor('gateway'), 'gateway');
  channel.on('lease_recall', (accountId) => {
    recalled.push(accountId);
    onRecall(accountId);
  });
  await channel.start();
});
beforeEach(() => {
  [recalled, onRecall, attempts] = [[], () => undefined, 0];
});
afterAll(async () => {
  await channel.close();
  await asConsole.end();
  await database.drop();
});

const accountWithLease = async (leasedPicos: bigint, ttlSeconds = 60) => {
  const { accountId } = await insertAccount(database.pool, { balancePicos: 100n });
  await database.pool.query("SELECT wallet.draw_lease($1, NULL, NULL, 'lse_' || $1, 'gw', $2, $2, $3)", [
    accountId,
    leasedPicos,
    ttlSeconds,
  ]);
  return accountId;
};
const deduct = (accountId: string, amountPicos: bigint) =>
  withLeaseRecall(asConsole, () => {
    attempts++;
    return asConsole.transaction((sql) =>
      postTransfer(sql, {
        kind: 'adjustment',
        accountId,
        amountPicos: -amountPicos,
        counterpart: 'equity:adjustments',
        reference: `test ${accountId}`,
        description: 'test',
      }),
    );
  });
const balanceOf = async (accountId: string) => (await readWallet(database.pool, accountId))!.balancePicos;

describe('a deduction', () => {
  it('that free money covers recalls no lease', async () => {
    const accountId = await accountWithLease(60n);
    await deduct(accountId, 40n);
    expect(attempts).toBe(1);
    expect(await balanceOf(accountId)).toBe(60n);
  });

  it('waits for the money that a gateway returns when it is asked', async () => {
    const accountId = await accountWithLease(60n);
    onRecall = (id) => void database.pool.query("SELECT wallet.return_lease('lse_' || $1, 0, true)", [id]);
    await deduct(accountId, 100n);
    expect(new Set(recalled)).toEqual(new Set([accountId]));
    expect(await balanceOf(accountId)).toBe(0n);
  });

  it('is refused after some attempts when the gateway keeps the money', async () => {
    const accountId = await accountWithLease(60n);
    await expect(deduct(accountId, 41n)).rejects.toThrow(InsufficientFundsError);
    expect(attempts).toBeGreaterThan(2);
    expect(await balanceOf(accountId)).toBe(100n);
  });

  it('leaves a gateway meanwhile what its requests need, without a reserve', async () => {
    const accountId = await accountWithLease(10n);
    let isAsked = false;
    onRecall = (id) => {
      // It is asked again while it answers, and an earlier test's question may arrive now.
      if (isAsked || id !== accountId) return;
      isAsked = true;
      void database.pool
        .query("SELECT wallet.return_lease('lse_' || $1, 0, true)", [id])
        .then(() =>
          database.pool.query("SELECT wallet.draw_lease($1, NULL, NULL, 'new', 'gw', 7, 50, 60)", [id]),
        );
    };
    await deduct(accountId, 93n);
    expect(await balanceOf(accountId)).toBe(7n);
  });

  it('is refused at once when the balance does not cover it', async () => {
    const accountId = await accountWithLease(60n);
    await expect(deduct(accountId, 101n)).rejects.toThrow(InsufficientFundsError);
    expect(attempts).toBe(1);
  });

  it('takes back the expired lease of a gateway that has ended', async () => {
    const accountId = await accountWithLease(60n, 0);
    await deduct(accountId, 100n);
    expect(await balanceOf(accountId)).toBe(0n);
  });

  it('throws every other error at once', async () => {
    await expect(deduct('acct_unknown', 1n)).rejects.toMatchObject({ status: 404 });
    // The questions of earlier tests may arrive now.
    expect([attempts, recalled.includes('acct_unknown')]).toEqual([1, false]);
  });
});
