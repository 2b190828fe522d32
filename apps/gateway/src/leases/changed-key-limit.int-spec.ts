import { Logger } from '@nestjs/common';
import { CREDENTIAL_ENTITIES } from '@inference/guards';
import {
  createTestDatabase,
  insertAccount,
  insertApiKey,
  type TestAccount,
  type TestDatabase,
  TestPool,
  waitFor,
} from '@inference/testing';
import { changeKeyLimit, recallLeases, WALLET_ENTITIES } from '@inference/wallet';
import { ENTITIES } from '../entities';
import { callerOf, codeOf, startLeaseManager, type TestLeaseManager } from './lease-manager.fixture';

const BALANCE_PICOS = 10n ** 12n;

describe('a lease of an API key whose limit changes', () => {
  let database: TestDatabase;
  let console: TestPool;
  let account: TestAccount;
  let gateways: TestLeaseManager[];

  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await createTestDatabase(ENTITIES);
    const options = { url: database.urlFor('console'), applicationName: 'console', size: 1 };
    console = await TestPool.withEntities(options, [...CREDENTIAL_ENTITIES, ...WALLET_ENTITIES]);
  });
  beforeEach(async () => {
    account = await insertAccount(database.pool, { balancePicos: BALANCE_PICOS });
    // Without timers: a lease is returned only when it is recalled.
    gateways = await Promise.all([1, 2].map(() => startLeaseManager(database.urlFor('gateway'), {}, false)));
  });
  afterEach(() => Promise.all(gateways.map((gateway) => gateway.stop())));
  afterAll(async () => {
    await console.end();
    await database.drop();
  });

  /** As the console changes it. */
  const change = (apiKeyId: string, limitPicos: bigint | null) =>
    console.transaction(async (transaction) => {
      await recallLeases(transaction, account.accountId, 0);
      const limit = { limitPicos, period: 'total', timeZone: 'UTC' } as const;
      await changeKeyLimit(transaction, account.accountId, apiKeyId, limit);
    });
  const leasedOf = async (apiKeyId: string) => {
    const { rows } = await database.pool.query<{ leased: bigint }>(
      'SELECT leased_picos AS leased FROM wallet.key_budgets WHERE api_key_id = $1',
      [apiKeyId],
    );
    return rows[0]!.leased;
  };

  it('is returned, so that a lower limit is enforced at once by every gateway', async () => {
    const { apiKeyId } = await insertApiKey(database.pool, account.accountId, { spendLimitPicos: 100_000n });
    const caller = callerOf(account, apiKeyId);
    for (const { manager } of gateways) (await manager.hold(caller, 100n)).release();
    expect(await leasedOf(apiKeyId)).toBeGreaterThan(1_000n);
    await change(apiKeyId, 50n);
    await waitFor(async () => (await leasedOf(apiKeyId)) === 0n);
    for (const { manager } of gateways) {
      expect(await codeOf(manager.hold(caller, 51n))).toBe('key_spend_limit_reached');
      (await manager.hold(caller, 50n)).release();
      await recallLeases(console, account.accountId, 0);
      await waitFor(async () => (await leasedOf(apiKeyId)) === 0n);
    }
  });

  it('grants more as soon as the limit is higher', async () => {
    const { apiKeyId } = await insertApiKey(database.pool, account.accountId, { spendLimitPicos: 50n });
    const { manager } = gateways[0]!;
    const caller = callerOf(account, apiKeyId);
    expect(await codeOf(manager.hold(caller, 51n))).toBe('key_spend_limit_reached');
    await change(apiKeyId, 51n);
    const hold = await manager.hold(caller, 51n);
    expect(hold.amountPicos).toBe(51n);
    hold.release();
  });
});
