import fc from 'fast-check';
import { createTestDatabase, insertAccount, type TestDatabase, TestPool } from '@inference/testing';
import { postTransfer } from '@inference/wallet';
import { ENTITIES } from '../../entities';
import { settleRequest, TestSite } from '../../testing/console.fixture';
import { consoleJobs } from '../mail/mail.fixture';
import { LowBalanceAlertJob } from './low-balance-alert.job';
import { enableLowBalanceAlert, setLowBalanceThreshold } from './low-balance-alert.repository';

const THRESHOLD = 5_000_000_000_000n;

const LOW_BALANCE_MAILS = `
  SELECT account_id AS "accountId", params FROM accounts.mail_outbox WHERE kind = 'low_balance' ORDER BY created_at, id`;

describe('the low-balance mail', () => {
  let database: TestDatabase;
  const pools: TestPool[] = [];
  let job: LowBalanceAlertJob;

  beforeAll(async () => (database = await createTestDatabase(ENTITIES)));
  beforeEach(async () => {
    await database.pool.query('DELETE FROM accounts.mail_outbox');
    job = await createJob();
  });
  afterEach(async () => {
    await database.pool.query('UPDATE wallet.wallets SET low_balance_notice_due = false');
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
  });
  afterAll(() => database.drop());

  /** Creates a job with the database role of the console. */
  async function createJob(): Promise<LowBalanceAlertJob> {
    const url = database.urlFor('console');
    const pool = await TestPool.withEntities({ url, applicationName: 'sweep', size: 3 }, ENTITIES);
    pools.push(pool);
    return new LowBalanceAlertJob(pool, { thresholdPicos: THRESHOLD }, consoleJobs(url));
  }

  const requestedMails = async () =>
    (await database.pool.query<{ accountId: string; params: unknown }>(LOW_BALANCE_MAILS)).rows;
  const mailedAccounts = async () => (await requestedMails()).map(({ accountId }) => accountId);
  const open = async (balancePicos: bigint) =>
    (await insertAccount(database.pool, { balancePicos })).accountId;
  let postings = 0;
  const post = (accountId: string, amountPicos: bigint, work?: () => Promise<void>) =>
    database.pool.transaction(async (client) => {
      await postTransfer(client, {
        kind: 'adjustment',
        accountId,
        amountPicos,
        counterpart: 'equity:adjustments',
        reference: `low-balance:${postings++}`,
        description: 'test',
      });
      await enableLowBalanceAlert(client, accountId, THRESHOLD);
      await work?.();
    });

  it('is requested once when a balance falls below the threshold, and again after it was above', async () => {
    const account = await open(THRESHOLD);
    await job.run();
    expect(await mailedAccounts()).toEqual([]);
    await post(account, -1n);
    await job.run();
    await job.run();
    expect(await requestedMails()).toEqual([
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
    await job.run();
    expect(await mailedAccounts()).toEqual([account]);
    await post(account, 1_001n);
    await job.run();
    await post(account, -1n);
    await job.run();
    expect(await mailedAccounts()).toEqual([account, account]);
  });

  it('is not requested for a wallet that never reached the threshold', async () => {
    const account = await open(THRESHOLD - 1n);
    await open(0n);
    await job.run();
    await post(account, -10n);
    await job.run();
    expect(await mailedAccounts()).toEqual([]);
  });

  it('is requested after usage too, and counts leased amounts as balance', async () => {
    const account = await open(THRESHOLD + 10n);
    await job.run();
    await database.pool.query("SELECT wallet.draw_lease($1, NULL, NULL, 'lse_low', 'h', $2, $2, 60)", [
      account,
      THRESHOLD,
    ]);
    await job.run();
    expect(await mailedAccounts()).toEqual([]);
    await database.pool.query("SELECT wallet.return_lease('lse_low', 0, true)");
    const rates = [{ unit: 'per_million_tokens' as const, ratePicos: 1n }];
    await settleRequest(database.pool, account, {
      model: 'm',
      rates,
      usage: { inputTokens: 11, outputTokens: 0 },
    });
    await job.run();
    expect(await requestedMails()).toMatchObject([
      { accountId: account, params: { balance: '4.999999999999' } },
    ]);
  });

  it('is requested for a balance that rose and fell between two runs', async () => {
    const account = await open(1n);
    await job.run();
    await post(account, THRESHOLD);
    await post(account, -THRESHOLD);
    await job.run();
    expect(await mailedAccounts()).toEqual([account]);
  });

  it('follows the threshold of the account, whatever that of the site is', async () => {
    const [high, low, off] = [
      await open(2n * THRESHOLD),
      await open(2n * THRESHOLD),
      await open(2n * THRESHOLD),
    ];
    await setLowBalanceThreshold(database.pool, high, 2n * THRESHOLD);
    await setLowBalanceThreshold(database.pool, low, 10n);
    await setLowBalanceThreshold(database.pool, off, 0n);
    await job.run();
    for (const account of [high, low, off]) await post(account, -1n);
    await job.run();
    expect(await requestedMails()).toMatchObject([
      { accountId: high, params: { threshold: '10', balance: '9.999999999999' } },
    ]);
    for (const account of [low, off]) await post(account, 10n - 2n * THRESHOLD);
    await job.run();
    expect(await mailedAccounts()).toEqual([high, low]);
    await post(off, -9n);
    await job.run();
    expect(await mailedAccounts()).toEqual([high, low]);
  });

  it('is not requested because the threshold rose above the balance', async () => {
    const account = await open(2n * THRESHOLD);
    await job.run();
    await setLowBalanceThreshold(database.pool, account, 3n * THRESHOLD);
    await job.run();
    expect(await mailedAccounts()).toEqual([]);
    await post(account, THRESHOLD);
    await post(account, -1n);
    await job.run();
    expect(await mailedAccounts()).toEqual([account]);
  });

  it('is not requested if the credit was rolled back', async () => {
    const account = await open(1n);
    const failing = post(account, THRESHOLD, () => Promise.reject(new Error('rolled back')));
    await expect(failing).rejects.toThrow('rolled back');
    await job.run();
    expect(await mailedAccounts()).toEqual([]);
  });

  it('is requested once per account by concurrent replicas', async () => {
    const accounts = await Promise.all(Array.from({ length: 90 }, () => open(THRESHOLD)));
    await job.run();
    await Promise.all(accounts.map((account) => post(account, -1n)));
    const others = await Promise.all([createJob(), createJob()]);
    await Promise.all([job, ...others].map((each) => each.run()));
    await job.run();
    expect((await mailedAccounts()).sort()).toEqual([...accounts].sort());
  });

  it('skips a locked wallet until a later run', async () => {
    const [busy, free] = [await open(THRESHOLD), await open(THRESHOLD)];
    await job.run();
    const unarmed = await open(THRESHOLD);
    await post(free, -1n);
    await database.pool.transaction(async (client) => {
      await client.query('SELECT FROM wallet.wallets WHERE account_id = ANY ($1) FOR UPDATE', [
        [busy, unarmed],
      ]);
      await client.query(
        'UPDATE wallet.wallets SET balance_picos = balance_picos - 1 WHERE account_id = $1',
        [busy],
      );
      await job.run();
      expect(await mailedAccounts()).toEqual([free]);
    });
    await job.run();
    await post(unarmed, -1n);
    await job.run();
    expect(await mailedAccounts()).toEqual([free, busy, unarmed]);
  });

  it('is not lost if the outbox cannot be written', async () => {
    const account = await open(THRESHOLD);
    await job.run();
    await post(account, -1n);
    await database.pool.query('REVOKE INSERT ON accounts.mail_outbox FROM console');
    await expect(job.run()).rejects.toThrow('permission denied');
    await database.pool.query('GRANT INSERT ON accounts.mail_outbox TO console');
    expect(await mailedAccounts()).toEqual([]);
    await job.run();
    expect(await mailedAccounts()).toEqual([account]);
  });

  it('is not requested if the wallet cannot be marked', async () => {
    const account = await open(THRESHOLD);
    await job.run();
    await post(account, -1n);
    await database.pool.query(`
      CREATE FUNCTION wallet.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
      CREATE CONSTRAINT TRIGGER refusal AFTER UPDATE ON wallet.wallets DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION wallet.refuse()`);
    await expect(job.run()).rejects.toThrow('refused');
    await database.pool.query('DROP TRIGGER refusal ON wallet.wallets');
    expect(await mailedAccounts()).toEqual([]);
    await job.run();
    expect(await mailedAccounts()).toEqual([account]);
  });

  it('is requested as often as the balance falls below the threshold, for any postings', async () => {
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
          await job.run();
          if (!isArmed || balance >= THRESHOLD) continue;
          expected++;
          isArmed = false;
        }
        expect((await mailedAccounts()).filter((each) => each === account)).toHaveLength(expected);
      }),
      { numRuns: 25 },
    );
  });

  it('does not block debits and top-ups', async () => {
    const accounts = await Promise.all(Array.from({ length: 12 }, () => open(2n * THRESHOLD)));
    const rates = [{ unit: 'per_request' as const, ratePicos: THRESHOLD / 4n }];
    let isOver = false;
    const sweeping = [job, await createJob(), await createJob()].map(async (each) => {
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
  });
});

describe('the low-balance mail of a console', () => {
  it('follows an adjustment, at the configured threshold', async () => {
    const site = await TestSite.start({ SITE: 'cn', LOW_BALANCE_THRESHOLD: '7.50' });
    try {
      const admin = await site.signedIn('admin');
      const { accountId } = await site.signedIn();
      const adjust = (amount: string) =>
        site.console.request('POST', '/api/admin/billing/adjustments', {
          token: admin.token,
          json: { account_id: accountId, amount, description: 'Test' },
        });
      const job = site.console.app.get(LowBalanceAlertJob);
      await adjust('7.49');
      await job.run();
      await adjust('0.01');
      await adjust('-2');
      await job.run();
      const { rows } = await site.database.pool.query<{ params: unknown }>(LOW_BALANCE_MAILS);
      expect(rows).toMatchObject([
        { accountId, params: { threshold: '7.5', balance: '5.5', currency: 'CNY' } },
      ]);
    } finally {
      await site.stop();
    }
  });
});
