import { createTestDatabase, type TestDatabase, waitFor } from '@inference/testing';
import { ENTITIES } from '../../../entities';
import {
  insertMailAccount,
  type MailAccount,
  recordLog,
  refusal,
  TestMailServer,
  TestOutbox,
  TestSender,
} from '../mail.fixture';
import { queueMail } from '../outbox';

const TOKEN = /(vrf|rst)_[0-9A-Za-z]{43}/;
/** The two workers of a sender's jobs, of scheduled ones and of mails, once they hear of new jobs. */
const LISTENING = `
  SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'console jobs'
    AND state = 'idle' AND query LIKE 'LISTEN "jobs:insert"%'`;

describe('the mail sender', () => {
  let database: TestDatabase;
  let outbox: TestOutbox;
  let server: TestMailServer;
  let account: MailAccount;
  let log: string[];
  const senders: TestSender[] = [];

  beforeAll(async () => {
    database = await createTestDatabase(ENTITIES);
    outbox = new TestOutbox(database.pool);
  });
  beforeEach(async () => {
    log = recordLog();
    server = await TestMailServer.start();
    account = await insertMailAccount(database.pool);
  });
  afterEach(async () => {
    await Promise.all(senders.splice(0).map((sender) => sender.stop()));
    await server.close();
    await database.pool.query('DELETE FROM accounts.mail_outbox');
  });
  afterAll(() => database.drop());

  async function startSender(environment: Record<string, string> = {}): Promise<TestSender> {
    const url = database.urlFor('console');
    const sender = await TestSender.start(url, { SMTP_URL: server.url, ...environment });
    senders.push(sender);
    return sender;
  }

  const requestReset = (identifier = account.email) =>
    queueMail(database.pool, { kind: 'reset_password', identifier });
  const requestSecurityMail = (accountId = account.id) =>
    queueMail(database.pool, { kind: 'password_changed', accountId });
  const recipients = () => server.mails.flatMap((mail) => mail.recipients);
  const arrived = (count: number) => waitFor(() => server.mails.length >= count);
  /** Resolves when all mails that were due before have been processed. */
  async function settled(): Promise<void> {
    const other = await insertMailAccount(database.pool);
    await requestSecurityMail(other.id);
    await waitFor(() => recipients().includes(other.email));
    await outbox.isEmpty();
    server.mails.splice(
      server.mails.findIndex((mail) => mail.recipients.includes(other.email)),
      1,
    );
  }

  it('sends mails requested before and after its start, and deletes them from the outbox', async () => {
    await requestSecurityMail();
    await startSender();
    await arrived(1);
    await requestSecurityMail();
    await arrived(2);
    await outbox.isEmpty();
    const [first, second] = server.mails;
    expect(recipients()).toEqual([account.email, account.email]);
    expect(first!.headers.get('auto-submitted')).toBe('auto-generated');
    expect(first!.from?.value).toEqual([{ name: 'Example', address: 'no-reply@example.com' }]);
    expect(first!.messageId).toMatch(/^<mail_[0-9A-Za-z]+@console\.test>$/);
    expect(second!.messageId).not.toBe(first!.messageId);
  });

  it('is notified of new mails immediately', async () => {
    const options = { SMTP_URL: server.url };
    senders.push(await TestSender.start(database.urlFor('console'), options, { polls: false }));
    await waitFor(async () => (await database.pool.query(LISTENING)).rowCount === 2);
    await requestSecurityMail();
    await arrived(1);
    await outbox.isEmpty();
    // The sender has checked the outbox once more by then.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await requestSecurityMail();
    await arrived(2);
  });

  it('sends nothing that was requested in a rolled-back transaction', async () => {
    await startSender();
    const rolledBack = database.pool.transaction(async (transaction) => {
      await queueMail(transaction, { kind: 'password_changed', accountId: account.id });
      throw new Error('roll back');
    });
    await expect(rolledBack).rejects.toThrow('roll back');
    await settled();
    expect(server.mails).toEqual([]);
  });

  it.each(['email', 'phone', 'username'] as const)('finds the account by its %s', async (field) => {
    await startSender();
    await requestReset(account[field]);
    await arrived(1);
    expect(recipients()).toEqual([account.email]);
    const [token] = TOKEN.exec(server.mails[0]!.text!)!;
    const lines = server.mails[0]!.text!.split('\n');
    expect(lines).toContain(`http://console.test/reset-password#token=${token}`);
    expect(lines).toContain(token);
  });

  it('sends nothing for an unknown account, and no verification of a verified address', async () => {
    await startSender();
    const verified = await insertMailAccount(database.pool, { verified: true });
    await requestReset('nobody@example.com');
    await queueMail(database.pool, { kind: 'verify_email', identifier: 'nobody@example.com' });
    await queueMail(database.pool, { kind: 'verify_email', identifier: verified.email });
    await settled();
    expect(server.mails).toEqual([]);
    expect(log).toEqual([]);
    await requestReset(verified.email);
    await queueMail(database.pool, { kind: 'verify_email', identifier: account.email });
    await arrived(2);
    expect(recipients().sort()).toEqual([account.email, verified.email].sort());
  });

  it('stores tokens only as hashes', async () => {
    await startSender();
    await requestReset();
    await queueMail(database.pool, { kind: 'verify_email', identifier: account.email });
    server.onMail = async () => {
      // While the mail is being sent, its row still exists.
      expect((await outbox.rows()).length).toBeGreaterThan(0);
      return null;
    };
    await arrived(2);
    const { rows: tables } = await database.pool.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    expect(tables.map(({ name }) => name)).toContain('accounts.mail_tokens');
    for (const { raw } of server.mails) {
      const digits = TOKEN.exec(raw.replaceAll('=\r\n', ''))![0].slice(4);
      const forms = [digits, Buffer.from(digits).toString('hex')];
      for (const { name } of tables) {
        const { rows } = await database.pool.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
        for (const { row } of rows) for (const form of forms) expect(row).not.toContain(form);
      }
    }
  });

  it('leaves unknown kinds to newer versions', async () => {
    await startSender();
    await database.pool.query(
      "INSERT INTO accounts.mail_outbox (id, kind, account_id) VALUES ('mail_new', 'toString', $1)",
      [account.id],
    );
    expect((await outbox.failedTimes(1)).lastError).toContain('unknown');
    await requestSecurityMail();
    await arrived(1);
  });

  it('sends an account at most one token mail per minute and five per hour, for each purpose', async () => {
    await startSender({ RATE_LIMIT_MULTIPLIER: '1' });
    const ageTokens = () =>
      database.pool.query(
        `UPDATE accounts.mail_tokens SET created_at = created_at - interval '61 seconds' WHERE account_id = $1`,
        [account.id],
      );
    await requestReset();
    await arrived(1);
    for (const identifier of [account.email, account.phone, account.username]) await requestReset(identifier);
    await queueMail(database.pool, { kind: 'verify_email', identifier: account.email });
    await settled();
    expect(server.mails.map(({ text }) => TOKEN.exec(text!)![1])).toEqual(['rst', 'vrf']);
    for (let sent = 2; sent <= 5; sent++) {
      await ageTokens();
      await requestReset();
      await arrived(sent + 1);
    }
    await ageTokens();
    await requestReset();
    await settled();
    expect(server.mails).toHaveLength(6);
    await database.pool.query(
      "UPDATE accounts.mail_tokens SET created_at = created_at - interval '1 hour' WHERE account_id = $1",
      [account.id],
    );
    await requestReset();
    await arrived(7);
    await requestSecurityMail();
    await requestSecurityMail();
    await arrived(9);
    expect(log).toEqual([]);
  });

  it('sends one of many token mails that are requested at once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => requestReset()));
    await Promise.all([
      startSender({ RATE_LIMIT_MULTIPLIER: '1' }),
      startSender({ RATE_LIMIT_MULTIPLIER: '1' }),
    ]);
    await outbox.isEmpty();
    expect(server.mails).toHaveLength(1);
  });

  it('does not count the failed attempts of a mail towards the limit', async () => {
    await startSender({ RATE_LIMIT_MULTIPLIER: '1' });
    server.onMail = () => refusal(451, 'later');
    await requestReset();
    for (let attempt = 1; attempt <= 7; attempt++) {
      await outbox.failedTimes(attempt);
      if (attempt === 7) server.onMail = () => null;
      await outbox.makeDue();
    }
    await arrived(1);
  });

  it('logs once that no transport is configured, and keeps mails for a day', async () => {
    await requestReset();
    await outbox.makeOld();
    await requestSecurityMail();
    const sender = await TestSender.start(database.urlFor('console'), {});
    senders.push(sender);
    await waitFor(async () => (await outbox.rows()).length === 1);
    await requestSecurityMail();
    await sender.stop();
    expect((await outbox.rows()).map(({ attempts }) => attempts)).toEqual([0, 0]);
    expect(log).toEqual(['warn: Neither SMTP_URL nor MAIL_FOLDER is set: no mail is sent.']);
  });
});
