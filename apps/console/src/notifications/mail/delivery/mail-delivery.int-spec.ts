import { createServer, type Socket } from 'node:net';
import { createTestDatabase, type TestDatabase, waitFor } from '@inference/testing';
import { ENTITIES } from '../../../entities';
import { TestConsole } from '../../../testing/console.fixture';
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
import { claimMail } from '../outbox.repository';

const TOKEN = /(vrf|rst)_[0-9A-Za-z]{43}/;

describe('the delivery of mails', () => {
  let database: TestDatabase;
  let outbox: TestOutbox;
  let server: TestMailServer;
  let account: MailAccount;
  let log: string[];
  const senders: TestSender[] = [];
  /** Servers other than the first one. */
  const servers: { close(): unknown }[] = [];

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
    await Promise.all([server, ...servers.splice(0)].map((each) => each.close()));
    await database.pool.query('DELETE FROM accounts.mail_outbox');
  });
  afterAll(() => database.drop());

  async function startSender(environment: Record<string, string> = {}): Promise<TestSender> {
    const url = database.urlFor('console');
    const sender = await TestSender.start(url, { SMTP_URL: server.url, ...environment });
    senders.push(sender);
    return sender;
  }

  async function startServer(): Promise<TestMailServer> {
    const other = await TestMailServer.start();
    servers.push(other);
    return other;
  }

  const requestReset = (identifier = account.email) =>
    queueMail(database.pool, { kind: 'reset_password', identifier });
  const requestSecurityMail = (accountId = account.id) =>
    queueMail(database.pool, { kind: 'password_changed', accountId });
  const recipients = () => server.mails.flatMap((mail) => mail.recipients);
  const arrived = (count: number) => waitFor(() => server.mails.length >= count);

  it('tells an address of an invitation, in the language of its account if there is one', async () => {
    await database.pool.query("UPDATE accounts.accounts SET language = 'zh-CN' WHERE id = $1", [account.id]);
    await startSender();
    for (const address of ['nobody@example.org', account.email])
      await database.pool.query(
        "SELECT accounts.queue_invitation_mail('mail_' || $1, $1, 'bob@example.com')",
        [address],
      );
    await arrived(2);
    const mailTo = (address: string) => server.mails.find((mail) => mail.recipients.includes(address))!;
    expect(mailTo('nobody@example.org').subject).toContain('bob@example.com invites you to a workspace');
    expect(mailTo('nobody@example.org').text).toContain('/workspaces');
    expect(mailTo(account.email).subject).toContain('bob@example.com 邀请您加入');
    await outbox.isEmpty();
  });

  it('sends no password to a remote server without encryption', async () => {
    // The sender treats 0.0.0.0 as remote, but it reaches the test's server.
    const elsewhere = server.url.replace('127.0.0.1', '0.0.0.0').replace('//', '//user:password@');
    await startSender({ SMTP_URL: elsewhere });
    await requestSecurityMail();
    await outbox.failedTimes(1);
    expect(server.connections).toBe(1);
    expect(server.mails).toEqual([]);
    await waitFor(() => log.join().includes('warn: Mail'));
  });

  it('retries with backoff under the same Message-ID, and logs reasons without addresses', async () => {
    await startSender();
    const messageIds: (string | undefined)[] = [];
    server.onRecipient = () => refusal(451, `4.7.1 <${account.email}> come back later`);
    await requestReset();
    const first = await outbox.failedTimes(1);
    expect(first.delay).toBeGreaterThan(5);
    await outbox.makeDue();
    const second = await outbox.failedTimes(2);
    expect(second.delay).toBeGreaterThan(first.delay);
    expect(second.lastError).toContain('451');
    server.onRecipient = () => null;
    server.onMail = ({ messageId }) => {
      messageIds.push(messageId);
      return messageIds.length === 1 ? refusal(421, '4.3.2 going down') : null;
    };
    await outbox.makeDue();
    await outbox.failedTimes(3);
    await outbox.makeDue();
    await arrived(1);
    await outbox.isEmpty();
    const messageId = `<${second.id}@console.test>`;
    expect(messageIds).toEqual([messageId, messageId]);
    await waitFor(() => log.length === 3);
    for (const line of log) expect(line).toMatch(/^warn: Mail mail_\w+ \(reset_password\) could not be sent/);
    expect(log.join()).not.toMatch(TOKEN);
    expect(log.join() + second.lastError).not.toContain(account.email);
  });

  it('records a password reset request once, whatever the number of attempts', async () => {
    await startSender();
    server.onRecipient = () => refusal(451, 'later');
    await requestReset();
    await outbox.failedTimes(1);
    await outbox.makeDue();
    await outbox.failedTimes(2);
    const { rows } = await database.pool.query(
      'SELECT type, actor_id FROM accounts.security_events WHERE account_id = $1',
      [account.id],
    );
    expect(rows).toEqual([{ type: 'password.reset_requested', actor_id: null }]);
  });

  it('waits at most an hour between two attempts', async () => {
    await startSender();
    server.onRecipient = () => refusal(451, 'later');
    await requestSecurityMail();
    await outbox.failedTimes(1);
    await database.pool.query('UPDATE accounts.mail_outbox SET attempts = 40');
    await outbox.makeDue();
    const { delay } = await outbox.failedTimes(41);
    expect(delay).toBeGreaterThan(3_000);
    expect(delay).toBeLessThanOrEqual(3_600);
  });

  it('gives a mail up at its first failure after a day', async () => {
    await startSender();
    server.onRecipient = () => refusal(451, 'later');
    await requestSecurityMail();
    await outbox.failedTimes(1);
    await outbox.makeOld();
    await outbox.makeDue();
    await outbox.isEmpty();
    expect(server.mails).toEqual([]);
    await waitFor(() => log.length === 2);
    expect(log[1]).toMatch(/^error: Mail .* is given up after attempt 2: .*451/);
    server.onRecipient = () => null;
    await requestSecurityMail();
    await outbox.makeOld();
    await arrived(1);
  });

  it('gives a mail up at once if the mailbox does not exist, but not for other refusals', async () => {
    await startSender();
    server.onRecipient = () => refusal(550, '5.1.1 no such user');
    await requestSecurityMail();
    await outbox.isEmpty();
    await waitFor(() => log.length === 1);
    expect(log[0]).toMatch(/^error: .* is given up after attempt 1/);
    server.onRecipient = () => refusal(550, '5.7.1 relaying denied');
    await requestSecurityMail();
    await outbox.failedTimes(1);
  });

  it('survives a server that is down, hangs, or crashes during a mail', async () => {
    await startSender({ SMTP_URL: `${server.url}?socketTimeout=500&greetingTimeout=500` });
    await server.close();
    await requestSecurityMail();
    await outbox.failedTimes(1);
    const sockets: Socket[] = [];
    const mute = createServer((socket) => void sockets.push(socket));
    servers.push(mute);
    await new Promise<void>((resolve) => mute.listen(server.port, '127.0.0.1', resolve));
    await outbox.makeDue();
    expect((await outbox.failedTimes(2)).lastError).toContain('ETIMEDOUT');
    expect(sockets).toHaveLength(1);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => mute.close(resolve));
    await server.listen();
    server.onMail = () => {
      server.hangUp();
      return refusal(451, 'nobody hears this');
    };
    await outbox.makeDue();
    await outbox.failedTimes(3);
    server.onMail = () => null;
    await outbox.makeDue();
    await arrived(1);
    await outbox.isEmpty();
  });

  it('leaves claimed mails alone, and takes them over after the claim has expired', async () => {
    await startSender();
    const claim = "claimed_until = now() + interval '3 minutes', attempts = 1";
    await database.pool.transaction(async (transaction) => {
      await queueMail(transaction, { kind: 'password_changed', accountId: account.id });
      await transaction.query(`UPDATE accounts.mail_outbox SET ${claim}`);
    });
    const other = await insertMailAccount(database.pool);
    await requestSecurityMail(other.id);
    await waitFor(async () => (await outbox.rows()).length === 1);
    expect(recipients()).toEqual([other.email]);
    await outbox.endClaims();
    await arrived(2);
    expect(recipients()).toEqual([other.email, account.email]);
    await outbox.isEmpty();
  });

  it('does not change a mail whose claim it has lost', async () => {
    let held = 0;
    server.onMail = () => {
      held++;
      return new Promise(() => undefined);
    };
    const first = await startSender();
    await requestReset();
    await waitFor(() => held === 1);
    // It takes no other mail from now on.
    const stopping = first.stop();
    const second = await startServer();
    second.onMail = () => refusal(451, 'later');
    await startSender({ SMTP_URL: second.url });
    await outbox.endClaims();
    const row = await outbox.failedTimes(2);
    server.hangUp();
    await waitFor(() => log.length === 2);
    expect(await outbox.rows()).toEqual([{ ...row, delay: expect.any(Number) }]);
    second.onMail = () => null;
    await Promise.all([stopping, outbox.makeDue()]);
    await waitFor(() => second.mails.length === 1);
  });

  it('shares the work with another sender: each mail is sent once', async () => {
    const COUNT = 30;
    const second = await startServer();
    let secondHasOne = (): void => undefined;
    const shared = new Promise<null>((resolve) => (secondHasOne = () => resolve(null)));
    // There are enough mails that both senders take part.
    server.onMail = () => shared;
    second.onMail = () => {
      secondHasOne();
      return null;
    };
    const accounts = await Promise.all(
      Array.from({ length: COUNT }, () => insertMailAccount(database.pool, { verified: true })),
    );
    await Promise.all([startSender(), startSender({ SMTP_URL: second.url })]);
    await Promise.all(accounts.map(({ email }) => requestReset(email)));
    await outbox.isEmpty();
    const got = [...server.mails, ...second.mails].flatMap((mail) => mail.recipients);
    expect(second.mails.length).toBeGreaterThan(0);
    expect(got.sort()).toEqual(accounts.map(({ email }) => email).sort());
  });

  it('lets one of many concurrent claims succeed', async () => {
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 20 }, () => requestSecurityMail()));
      const ids = (await outbox.rows()).map(({ id }) => id);
      const tenTimes = Array.from({ length: 10 }, () => ids).flat();
      const claims = await Promise.all(tenTimes.map((id) => claimMail(database.pool, id, 60)));
      expect(claims.flatMap((claimed) => claimed?.id ?? []).sort()).toEqual(ids);
      await database.pool.query('DELETE FROM accounts.mail_outbox');
    }
  });

  it('finishes the mail in progress on shutdown, and starts no other', async () => {
    let release = (): void => undefined;
    const held: string[] = [];
    server.onMail = () => {
      held.push('mail');
      return new Promise((resolve) => (release = () => resolve(null)));
    };
    const sender = await startSender();
    await requestSecurityMail();
    await waitFor(() => held.length === 1);
    let ended = false;
    const shutDown = sender.shutDown().then(() => (ended = true));
    await requestSecurityMail();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([ended, server.mails.length]).toEqual([false, 0]);
    release();
    await shutDown;
    expect([server.mails.length, held.length]).toEqual([1, 1]);
    expect(await outbox.rows()).toMatchObject([{ attempts: 0, claimed: false }]);
  });

  it('is part of the console, which finishes deliveries before it stops', async () => {
    const console = await TestConsole.start(database.urlFor('console'), {
      SMTP_URL: server.url,
      MAIL_FROM: 'no-reply@example.com',
    });
    let closing: Promise<void> | undefined;
    const close = () => (closing ??= console.close());
    servers.push({ close });
    let release = (): void => undefined;
    server.onMail = () => new Promise((resolve) => (release = () => resolve(null)));
    await requestSecurityMail();
    await waitFor(async () => (await outbox.rows())[0]?.claimed && server.connections === 1);
    const closed = close();
    await waitFor(() => {
      release();
      return server.mails.length === 1;
    });
    await closed;
    expect(await outbox.rows()).toEqual([]);
  });
});
