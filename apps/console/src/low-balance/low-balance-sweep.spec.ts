import fc from 'fast-check';
import { createPool, inTransaction, type SqlPool } from '@inference/database';
import { createTestDatabase, insertAccount, type TestDatabase } from '@inference/testing';
import { postTransfer } from '@inference/wallet';
import { readConsoleConfig } from '../config';
import { settleRequest, testEnvironment, TestSite } from '../console.fixture';
import { recordLog } from '../mail/mail.fixture';
import { armLowBalanceNotice } from './low-balance-notice';
import { LowBalanceSweep } from './low-balance-sweep';

const THRESHOLD = 5_000_000_000_000n;

const NOTICES = `
  SELECT account_id AS "accountId", params FROM accounts.mail_outbox WHERE kind = 'low_balance' ORDER BY created_at, id`;

describe('the low-balance mail', () => {
  let database: TestDatabase;
  const pools: SqlPool[] = [];
  let sweep: LowBalanceSweep;
  let log: string[];

  beforeAll(async () => (database = await createTestDatabase()));
  beforeEach(async () => {
    log = recordLog();
    await database.pool.query('DELETE FROM accounts.mail_outbox');
    sweep = newSweep();
  });
  afterEach(async () => {
    await database.pool.query('UPDATE wallet.wallets SET low_balance_notice_due = false');
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
  });
  afterAll(() => database.drop());

  /** As each console has one, with the rights of a console. */
  function newSweep(): LowBalanceSweep {
    const url = database.urlFor('console');
    const pool = createPool({ url, applicationName: 'sweep', size: 3 });
    pools.push(pool);
    return new LowBalanceSweep(pool, readConsoleConfig(testEnvironment(url)));
  }

  const notices = async () =>
    (await database.pool.query<{ accountId: string; params: unknown }>(NOTICES)).rows;
  const told = async () => (await notices()).map(({ accountId }) => accountId);
  const open = async (balancePicos: bigint) =>
    (await insertAccount(database.pool, { balancePicos })).accountId;
  let postings = 0;
  const post = (accountId: string, amountPicos: bigint, work?: () => Promise<void>) =>
    inTransaction(database.pool, async (client) => {
      await postTransfer(client, {
        kind: 'adjustment',
        accountId,
        amountPicos,
        counterpart: 'equity:adjustments',
        reference: `low-balance:${postings++}`,
        description: 'test',
      });
      await armLowBalanceNotice(client, accountId, THRESHOLD);
      await work?.();
    });

  it('comes once when a wallet that held the threshold falls below it, and again after it was above', async () => {
    const account = await open(THRESHOLD);
    await sweep.run();
    expect(await told()).toEqual([]);
    await post(account, -1n);
    await sweep.run();
    await sweep.run();
    expect(await notices()).toEqual([
      {
        accountId: account,
        params: {
          threshold: '5',
          balance: '4.999999999999',
          currency: 'USD',
          at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        },
      },
    ]);
    await post(account, -1_000n);
    await sweep.run();
    expect(await told()).toEqual([account]);
    await post(account, 1_001n);
    await sweep.run();
    await post(account, -1n);
    await sweep.run();
    expect(await told()).toEqual([account, account]);
  });

  it('does not come for a wallet that never held the threshold', async () => {
    const account = await open(THRESHOLD - 1n);
    await open(0n);
    await sweep.run();
    await post(account, -10n);
    await sweep.run();
    expect(await told()).toEqual([]);
  });

  it('comes for usage too, and what leases set aside is still there', async () => {
    const account = await open(THRESHOLD + 10n);
    await sweep.run();
    await database.pool.query("SELECT wallet.draw_lease($1, NULL, NULL, 'lse_low', 'h', $2, $2, 60)", [
      account,
      THRESHOLD,
    ]);
    await sweep.run();
    expect(await told()).toEqual([]);
    await database.pool.query("SELECT wallet.return_lease('lse_low', 0, true)");
    const rates = [{ unit: 'per_million_tokens' as const, ratePicos: 1n }];
    await settleRequest(database.pool, account, {
      model: 'm',
      rates,
      usage: { inputTokens: 11, outputTokens: 0 },
    });
    await sweep.run();
    expect(await notices()).toMatchObject([{ accountId: account, params: { balance: '4.999999999999' } }]);
  });

  it('comes for a wallet that went up and down again between two sweeps', async () => {
    const account = await open(1n);
    await sweep.run();
    await post(account, THRESHOLD);
    await post(account, -THRESHOLD);
    await sweep.run();
    expect(await told()).toEqual([account]);
  });

  it('comes for nothing when the credit was rolled back', async () => {
    const account = await open(1n);
    const failing = post(account, THRESHOLD, () => Promise.reject(new Error('rolled back')));
    await expect(failing).rejects.toThrow('rolled back');
    await sweep.run();
    expect(await told()).toEqual([]);
  });

  it('comes once however many consoles look at once, to everybody', async () => {
    const accounts = await Promise.all(Array.from({ length: 90 }, () => open(THRESHOLD)));
    await sweep.run();
    await Promise.all(accounts.map((account) => post(account, -1n)));
    const others = Array.from({ length: 2 }, newSweep);
    await Promise.all([sweep, ...others].map((each) => each.run()));
    await sweep.run();
    expect((await told()).sort()).toEqual([...accounts].sort());
    expect(log).toEqual([]);
  });

  it('waits for nobody: a wallet in use has its turn later', async () => {
    const [busy, free] = [await open(THRESHOLD), await open(THRESHOLD)];
    await sweep.run();
    const unarmed = await open(THRESHOLD);
    await post(free, -1n);
    await inTransaction(database.pool, async (client) => {
      await client.query('SELECT FROM wallet.wallets WHERE account_id = ANY ($1) FOR UPDATE', [
        [busy, unarmed],
      ]);
      await client.query(
        'UPDATE wallet.wallets SET balance_picos = balance_picos - 1 WHERE account_id = $1',
        [busy],
      );
      await sweep.run();
      expect(await told()).toEqual([free]);
    });
    await sweep.run();
    await post(unarmed, -1n);
    await sweep.run();
    expect(await told()).toEqual([free, busy, unarmed]);
  });

  it('is not lost when it cannot be ordered', async () => {
    const account = await open(THRESHOLD);
    await sweep.run();
    await post(account, -1n);
    await database.pool.query('REVOKE INSERT ON accounts.mail_outbox FROM console');
    await sweep.run();
    await database.pool.query('GRANT INSERT ON accounts.mail_outbox TO console');
    expect(log).toEqual([expect.stringContaining('permission denied')]);
    expect(await told()).toEqual([]);
    await sweep.run();
    expect(await told()).toEqual([account]);
  });

  it('is not ordered when the wallet cannot be marked as told', async () => {
    const account = await open(THRESHOLD);
    await sweep.run();
    await post(account, -1n);
    await database.pool.query(`
      CREATE FUNCTION wallet.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
      CREATE CONSTRAINT TRIGGER refusal AFTER UPDATE ON wallet.wallets DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION wallet.refuse()`);
    await sweep.run();
    await database.pool.query('DROP TRIGGER refusal ON wallet.wallets');
    expect(log).toEqual([expect.stringContaining('refused')]);
    expect(await told()).toEqual([]);
    await sweep.run();
    expect(await told()).toEqual([account]);
  });

  it('comes as often as the balance falls below the threshold, whatever is posted', async () => {
    const steps = fc.array(
      fc.record({ to: fc.bigInt({ min: THRESHOLD - 2n, max: THRESHOLD + 2n }), sweeps: fc.boolean() }),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (walk) => {
        const account = await open(1n);
        let [balance, isArmed, expected] = [1n, false, 0];
        for (const { to, sweeps } of walk) {
          if (to !== balance) await post(account, to - balance);
          balance = to;
          isArmed ||= balance >= THRESHOLD;
          if (!sweeps) continue;
          await sweep.run();
          if (!isArmed || balance >= THRESHOLD) continue;
          expected++;
          isArmed = false;
        }
        expect((await told()).filter((each) => each === account)).toHaveLength(expected);
      }),
      { numRuns: 25 },
    );
  });

  it('stands in nobody’s way while wallets are debited and topped up', async () => {
    const accounts = await Promise.all(Array.from({ length: 12 }, () => open(2n * THRESHOLD)));
    const rates = [{ unit: 'per_request' as const, ratePicos: THRESHOLD / 4n }];
    let isOver = false;
    const sweeping = [sweep, newSweep(), newSweep()].map(async (each) => {
      while (!isOver) await each.run();
    });
    const spending = Array.from({ length: 6 }, async (_, writer) => {
      for (let n = 0; n < 20; n++) {
        const account = accounts[(writer * 7 + n) % accounts.length]!;
        await post(account, THRESHOLD / 4n);
        await settleRequest(database.pool, account, {
          model: 'm',
          rates,
          usage: { inputTokens: 1, outputTokens: 1 },
        });
      }
    });
    await Promise.all(spending);
    isOver = true;
    await Promise.all(sweeping);
    expect(log).toEqual([]);
  });
});

describe('the low-balance mail of a console', () => {
  it('follows from adjustments, at the threshold of the console', async () => {
    const site = await TestSite.start({ SITE: 'cn', LOW_BALANCE_THRESHOLD: '7.50' });
    try {
      const admin = await site.signedIn('admin');
      const { accountId } = await site.signedIn();
      const adjust = (amount: string) =>
        site.console.request('POST', '/api/admin/billing/adjustments', {
          token: admin.token,
          json: { account_id: accountId, amount, description: 'Test' },
        });
      const sweep = site.console.app.get(LowBalanceSweep);
      await adjust('7.49');
      await sweep.run();
      await adjust('0.01');
      await adjust('-2');
      await sweep.run();
      const { rows } = await site.database.pool.query<{ params: unknown }>(NOTICES);
      expect(rows).toMatchObject([
        { accountId, params: { threshold: '7.5', balance: '5.5', currency: 'CNY' } },
      ]);
    } finally {
      await site.stop();
    }
  });
});
