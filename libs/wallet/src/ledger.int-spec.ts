import { CREDENTIAL_ENTITIES } from '@inference/guards';
import { reconcile } from '@inference/metering';
import { createTestDatabase, insertAccount, type TestDatabase, TestPool } from '@inference/testing';
import fc from 'fast-check';
import { InsufficientFundsError, type Posting, postTransfer, ReferenceReusedError } from './ledger';
import { WALLET_ENTITIES } from './wallet.entity';
import { readWallet } from './wallets.repository';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.drop();
});

const adjustment = (accountId: string, amountPicos: bigint, reference: string): Posting => ({
  kind: 'adjustment',
  accountId,
  amountPicos,
  counterpart: 'equity:adjustments',
  reference,
  description: 'test',
});
const post = (posting: Posting) => database.pool.transaction((sql) => postTransfer(sql, posting));
const balanceOf = async (accountId: string) => (await readWallet(database.pool, accountId))!.balancePicos;

describe('postTransfer', () => {
  it('moves the balance and writes two entries that sum to zero', async () => {
    const { accountId } = await insertAccount(database.pool);
    const { id } = await post(adjustment(accountId, 5n, 'a-1'));
    expect(await balanceOf(accountId)).toBe(5n);
    const entries = await database.pool.query(
      'SELECT ledger_account, amount_picos FROM wallet.entries WHERE transfer_id = $1 ORDER BY 1',
      [id],
    );
    expect(entries.rows).toEqual([
      { ledger_account: 'equity:adjustments', amount_picos: -5n },
      { ledger_account: `wallet:${accountId}`, amount_picos: 5n },
    ]);
  });

  it('posts a reference once, however often and however concurrently it is posted', async () => {
    const { accountId } = await insertAccount(database.pool);
    const results = await Promise.all(
      Array.from({ length: 20 }, () => post(adjustment(accountId, 7n, 'once'))),
    );
    expect(results.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(results.map(({ id }) => id)).size).toBe(1);
    expect(await balanceOf(accountId)).toBe(7n);
  });

  it('refuses a reference that stands for something else', async () => {
    const { accountId } = await insertAccount(database.pool);
    await post(adjustment(accountId, 7n, 'other'));
    await expect(post(adjustment(accountId, 8n, 'other'))).rejects.toThrow(ReferenceReusedError);
    await expect(post(adjustment('acct_unknown', 7n, 'other'))).rejects.toThrow(ReferenceReusedError);
    expect(await balanceOf(accountId)).toBe(7n);
  });

  it('refuses an unknown account', async () => {
    await expect(post(adjustment('acct_unknown', 1n, 'nobody'))).rejects.toMatchObject({ status: 404 });
  });

  it('takes only money that is not leased', async () => {
    const { accountId } = await insertAccount(database.pool, { balancePicos: 100n });
    await database.pool.query("SELECT wallet.draw_lease($1, NULL, NULL, 'l1', 'h', 60, 60, 60)", [accountId]);
    await expect(post(adjustment(accountId, -41n, 'too-much'))).rejects.toThrow(InsufficientFundsError);
    await post(adjustment(accountId, -40n, 'just-right'));
    expect(await balanceOf(accountId)).toBe(60n);
  });

  it('keeps every balance the sum of its entries and never negative, whatever is posted', async () => {
    const amounts = fc.array(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), {
      minLength: 1,
      maxLength: 8,
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(amounts, async (posted) => {
        const { accountId } = await insertAccount(database.pool);
        const name = `p${run++}`;
        let expected = 0n;
        for (const [at, amount] of posted.entries()) {
          if (amount === 0n) continue;
          const posting = post(adjustment(accountId, amount, `${name}-${at}`));
          if (expected + amount < 0n) await expect(posting).rejects.toThrow(InsufficientFundsError);
          else {
            await posting;
            expected += amount;
          }
        }
        expect(await balanceOf(accountId)).toBe(expected);
      }),
      { numRuns: 30 },
    );
    expect(await reconcile(database.pool)).toEqual([]);
  });

  it('is append only for the services', async () => {
    const asConsole = await TestPool.withEntities(
      { url: database.urlFor('console'), applicationName: 'console', size: 1 },
      [...CREDENTIAL_ENTITIES, ...WALLET_ENTITIES],
    );
    try {
      for (const statement of [
        'UPDATE wallet.entries SET amount_picos = 0',
        'DELETE FROM wallet.entries',
        'UPDATE wallet.transfers SET description = $$x$$',
        'DELETE FROM wallet.transfers',
      ]) {
        await expect(asConsole.query(statement)).rejects.toMatchObject({ code: '42501' });
      }
    } finally {
      await asConsole.end();
    }
  });
});
