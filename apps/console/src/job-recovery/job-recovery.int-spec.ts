import { type Database, newId } from '@inference/database';
import { waitFor } from '@inference/testing';
import { TestSite } from '../testing/console.fixture';
import { JobRecoveryJob } from './job-recovery.module';

/** The site sends no mail and has no payment provider, so no process takes the jobs of their rows. */
let site: TestSite;
let database: Database;
let account: string;
beforeAll(async () => {
  site = await TestSite.start();
  database = site.database.pool;
  account = (await site.signedIn()).accountId;
});
beforeEach(() => database.query('DELETE FROM accounts.mail_outbox'));
afterAll(() => site.stop());

interface JobRow {
  task: string;
  runAt: Date;
}

async function jobOf(id: string): Promise<JobRow | undefined> {
  const { rows } = await database.query<JobRow>(
    `SELECT task_identifier AS task, run_at AS "runAt" FROM console_jobs.jobs WHERE key LIKE '%:' || $1`,
    [id],
  );
  expect(rows.length).toBeLessThanOrEqual(1);
  return rows[0];
}

async function insertMail(due: string): Promise<{ id: string; dueAt: Date }> {
  const { rows } = await database.query<{ id: string; dueAt: Date }>(
    `INSERT INTO accounts.mail_outbox (id, kind, account_id, next_attempt_at)
     VALUES ($1, 'password_changed', $2, now() + $3::interval) RETURNING id, due_at AS "dueAt"`,
    [newId('mail'), account, due],
  );
  return rows[0]!;
}

describe('the job of a row', () => {
  it('is at the time at which the row is due, and goes with the row', async () => {
    const { id, dueAt } = await insertMail('1 hour');
    expect(await jobOf(id)).toEqual({ task: 'send-mail', runAt: dueAt });
    const { rows } = await database.query<{ due: Date }>(
      "UPDATE accounts.mail_outbox SET claimed_until = now() + interval '2 hours' WHERE id = $1 RETURNING due_at AS due",
      [id],
    );
    expect((await jobOf(id))!.runAt).toEqual(rows[0]!.due);
    await database.query('DELETE FROM accounts.mail_outbox WHERE id = $1', [id]);
    expect(await jobOf(id)).toBeUndefined();
  });

  it('is of the provider that a payment is made at, and ends with the checks', async () => {
    const id = newId('pay');
    await database.query(
      `INSERT INTO billing.payments (id, account_id, provider, amount_minor, currency, return_url, expires_at, next_check_at)
       VALUES ($1, $2, 'wallet_pay_provider', 100, 'USD', 'http://example.com', now(), now())`,
      [id, account],
    );
    expect((await jobOf(id))!.task).toBe('check-payment-at-wallet_pay_provider');
    await database.query('UPDATE billing.payments SET next_check_at = NULL WHERE id = $1', [id]);
    expect(await jobOf(id)).toBeUndefined();
  });

  it('is given again to a row that was due a minute ago, and to no other', async () => {
    const lost = await insertMail('-2 minutes');
    const recent = await insertMail('0');
    const waiting = await insertMail('-2 minutes');
    const crashed = await insertMail('-2 minutes');
    await database.query('DELETE FROM console_jobs._private_jobs WHERE key LIKE ANY ($1)', [
      [lost.id, recent.id].map((id) => `%${id}`),
    ]);
    await database.query(
      "UPDATE console_jobs._private_jobs SET locked_at = now(), locked_by = 'a process that died', attempts = 1 WHERE key LIKE $1",
      [`%${crashed.id}`],
    );
    const postponed = await insertMail('-2 minutes');
    await database.query(
      "UPDATE console_jobs._private_jobs SET run_at = now() + interval '1 hour' WHERE key LIKE $1",
      [`%${postponed.id}`],
    );
    await site.console.app.get(JobRecoveryJob).run();
    expect(await jobOf(postponed.id)).toEqual({ task: 'send-mail', runAt: postponed.dueAt });
    expect(await jobOf(lost.id)).toEqual({ task: 'send-mail', runAt: lost.dueAt });
    expect(await jobOf(crashed.id)).toEqual({ task: 'send-mail', runAt: crashed.dueAt });
    expect(await jobOf(recent.id)).toBeUndefined();
    expect(await jobOf(waiting.id)).toBeDefined();
  });

  it('is removed when nothing will run it again', async () => {
    const left = async () => {
      const { rowCount } = await database.query(
        "SELECT FROM console_jobs.jobs WHERE task_identifier = 'over'",
      );
      return rowCount;
    };
    await database.query("SELECT FROM console_jobs.add_job('over', max_attempts := 1)");
    await database.query(
      'UPDATE console_jobs._private_jobs SET attempts = max_attempts WHERE max_attempts = 1',
    );
    expect(await left()).toBe(1);
    await site.console.app.get(JobRecoveryJob).run();
    await waitFor(async () => (await left()) === 0);
  });
});
