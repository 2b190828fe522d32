import { SandboxPayments } from '@inference/sandbox-payments';
import { createTestDatabase, type TestDatabase, waitFor } from '@inference/testing';
import { runReconcile } from './ledger-totals';
import { consoleBody } from '../site/console-client';
import { seededRandom } from '../load/random';
import { runConcurrently } from '../load/run-concurrently';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

jest.setTimeout(600_000);

const PAYMENTS = { intl: 500, cn: 60 };
const NOTIFICATIONS = 20;
const ACCOUNTS = 8;
/** Most notifications that the sandbox sends at a time. */
const CONNECTIONS = 32;
const KILLS = 8;
const SPREAD_MILLIS = 8_000;
const PICOS_PER_UNIT = 1_000_000_000_000n;

interface Account {
  token: string;
  user: { id: string };
}

const PROVIDERS_OF = {
  intl: ['card_provider'],
  cn: ['messaging_pay_provider', 'wallet_pay_provider'],
} as const;

/** The expected final balance of each account. */
type Expected = Map<string, bigint>;

const random = seededRandom(4);

describe.each(['intl', 'cn'] as const)(
  `payments, each notified ${NOTIFICATIONS} times, while the console is killed ${KILLS} times (%s)`,
  (siteName) => {
    const count = PAYMENTS[siteName];
    let database: TestDatabase;
    let sandbox: SandboxPayments;
    let site: Site;
    let consoleApp: ServiceProcess;

    beforeAll(async () => {
      database = await createTestDatabase();
      sandbox = await SandboxPayments.start({ site: siteName });
      site = new Site(database, { site: siteName });
      consoleApp = await site.startConsole({ ...sandbox.consoleEnvironment(), MIN_TOPUP: '1' });
      await sandbox.deliverTo(consoleApp.url);
    });
    afterAll(async () => {
      await site?.stop();
      await sandbox?.stop();
      await database?.drop();
    });

    const register = (i: number) =>
      consoleBody<Account>(consoleApp.url, 'POST', '/api/auth/register', {
        json: { email: `payer${i}@example.com`, password: 'correct horse battery' },
        status: 201,
      });

    async function order(accounts: Account[]): Promise<{ ids: string[]; expected: Expected }> {
      const expected: Expected = new Map(accounts.map(({ user }) => [user.id, 0n]));
      const names = PROVIDERS_OF[siteName];
      const jobs = Array.from({ length: count }, (_, i) => async () => {
        const { token, user } = accounts[i % ACCOUNTS]!;
        const amount = 1 + Math.floor(random() * 100);
        const json = { provider: names[i % names.length], amount };
        const options = { token, json, status: 201 };
        const { id } = await consoleBody<{ id: string }>(
          consoleApp.url,
          'POST',
          '/api/billing/payments',
          options,
        );
        expected.set(user.id, expected.get(user.id)! + BigInt(amount) * PICOS_PER_UNIT);
        return id;
      });
      return { ids: await runConcurrently(jobs, CONNECTIONS), expected };
    }

    /** Kills the console at intervals, each time after the restart. */
    async function killRepeatedly(): Promise<void> {
      for (let kill = 0; kill < KILLS; kill++) {
        await new Promise((resolve) => setTimeout(resolve, (random() * SPREAD_MILLIS) / KILLS));
        await consoleApp.kill();
        await consoleApp.start();
      }
    }

    async function notifiedInFull(id: string) {
      const { deliveries } = await sandbox.order(id);
      return deliveries.filter(({ acknowledged }) => acknowledged).length >= NOTIFICATIONS
        ? deliveries
        : null;
    }

    test('credit every payment exactly once', async () => {
      const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, (_, i) => register(i)));
      const { ids, expected } = await order(accounts);
      await sandbox.injectFaults({ duplicate: NOTIFICATIONS, delay_ms: SPREAD_MILLIS });
      const killing = killRepeatedly();
      await runConcurrently(
        ids.map((id) => () => sandbox.act(id, 'pay')),
        CONNECTIONS,
      );
      await killing;
      await waitFor(async () => {
        const { rows } = await database.pool.query<{ open: bigint }>(
          `SELECT count(*) AS open FROM billing.payments WHERE status <> 'paid'`,
        );
        return rows[0]!.open === 0n;
      }, 120_000);
      const deliveries = [];
      for (const id of ids) deliveries.push(await waitFor(() => notifiedInFull(id), 240_000));
      const all = deliveries.flat();
      expect(all.filter(({ acknowledged }) => acknowledged)).toHaveLength(count * NOTIFICATIONS);
      // The kills happened while notifications were being delivered.
      expect(all.length).toBeGreaterThan(count * NOTIFICATIONS);

      const credits = await database.pool.query<{ account_id: string; count: bigint; sum: bigint }>(
        `SELECT t.account_id, count(*) AS count, sum(e.amount_picos) AS sum
         FROM wallet.transfers t JOIN wallet.entries e ON e.transfer_id = t.id
         WHERE t.kind = 'topup' AND e.ledger_account = 'wallet:' || t.account_id GROUP BY t.account_id`,
      );
      expect(credits.rows.reduce((sum, row) => sum + row.count, 0n)).toBe(BigInt(count));
      expect(new Map(credits.rows.map((row) => [row.account_id, row.sum]))).toEqual(expected);
      const { rows } = await database.pool.query<{ sum: bigint }>(
        'SELECT sum(amount_picos) AS sum FROM wallet.entries',
      );
      expect(rows[0]!.sum).toBe(0n);
      expect(await runReconcile(database)).toContain('no difference');
    });
  },
);
