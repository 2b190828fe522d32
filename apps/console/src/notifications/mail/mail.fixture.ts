import { once } from 'node:events';
import { type Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { type Executor, JOB_SCHEMAS, newId } from '@inference/database';
import { BackgroundJobs } from '@inference/jobs';
import { findFreePort, TestPool, waitFor } from '@inference/testing';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { readInvoiceFile } from '../../billing/invoices/invoice-file';
import { readConsoleConfig } from '../../config';
import { ENTITIES } from '../../entities';
import { testEnvironment } from '../../testing/console.fixture';
import { MailComposer } from './delivery/mail-composer';
import { MailSender } from './delivery/mail-sender';
import { InvoiceAttachments } from './invoice-attachments';

export interface ReceivedMail extends ParsedMail {
  /** The unparsed mail. */
  raw: string;
  /** The authenticated user; undefined without authentication. */
  user: string | undefined;
  recipients: string[];
  encrypted: boolean;
}

/** The decision of the SMTP server: null accepts, an error refuses. */
type Answer = (Error & { responseCode: number }) | null;

export const refusal = (responseCode: number, message: string) =>
  Object.assign(new Error(message), { responseCode });

/** A real SMTP server on its own port, whose responses the test controls. */
export class TestMailServer {
  readonly mails: ReceivedMail[] = [];
  private readonly sockets = new Set<Socket>();
  /** Called for every recipient. */
  onRecipient: (address: string) => Answer | Promise<Answer> = () => null;
  /** Called for every complete mail, before it is accepted. */
  onMail: (mail: ParsedMail) => Answer | Promise<Answer> = () => null;
  connections = 0;
  private server: SMTPServer | undefined;

  private constructor(
    readonly port: number,
    private readonly options: SMTPServerOptions,
  ) {}

  static async start(options: SMTPServerOptions = {}): Promise<TestMailServer> {
    const server = new TestMailServer(await findFreePort(), options);
    await server.listen();
    return server;
  }

  async listen(): Promise<void> {
    const server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      authOptional: true,
      ...this.options,
      onRcptTo: ({ address }, _session, callback) =>
        void Promise.resolve(this.onRecipient(address)).then(callback),
      onData: (stream, session, callback) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const { user, secure: encrypted } = session;
          const recipients = session.envelope.rcptTo.map(({ address }) => address);
          void this.take(Buffer.concat(chunks), { user, encrypted, recipients }).then(callback, callback);
        });
      },
    });
    server.on('error', () => undefined);
    server.server.on('connection', (socket: Socket) => {
      this.connections++;
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    server.listen(this.port, '127.0.0.1');
    await once(server.server, 'listening');
    this.server = server;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** Breaks all connections, as a crash does. */
  hangUp(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server?.close(resolve));
    this.hangUp();
    await closed;
  }

  private async take(
    raw: Buffer,
    session: { user: string | undefined; encrypted: boolean; recipients: string[] },
  ): Promise<Answer> {
    const mail = await simpleParser(raw);
    const answer = await this.onMail(mail);
    if (!answer) this.mails.push({ ...mail, ...session, raw: raw.toString() });
    return answer;
  }
}

/** The background jobs of a console. Without `polls` it learns of jobs that are due by notifications only. */
export const consoleJobs = (databaseUrl: string, { polls = true } = {}) =>
  new BackgroundJobs({
    databaseUrl,
    schema: JOB_SCHEMAS.console,
    applicationName: 'console jobs',
    ...(!polls && { pollMillis: 3_600_000 }),
  });

/** A mail sender on a database, as each replica has one. */
export class TestSender {
  private stopping: Promise<void> | undefined;
  private shuttingDown: Promise<void> | undefined;

  private constructor(
    private readonly jobs: BackgroundJobs,
    private readonly pool: TestPool,
  ) {}

  /** Starts a sender. With `polls: false` it reacts to notifications only. */
  static async start(
    databaseUrl: string,
    environment: Record<string, string>,
    options: { polls?: boolean } = {},
  ): Promise<TestSender> {
    const config = readConsoleConfig({
      ...testEnvironment(databaseUrl),
      MAIL_FROM: 'Example <no-reply@example.com>',
      ...environment,
    });
    const connection = { url: databaseUrl, applicationName: 'mail', size: 5 };
    const pool = await TestPool.withEntities(connection, ENTITIES);
    const invoices = new InvoiceAttachments();
    invoices.register((documentId) => readInvoiceFile(pool, documentId));
    const composer = new MailComposer(pool, config.site, config.mail, invoices);
    const jobs = consoleJobs(databaseUrl, options);
    new MailSender(pool, config.mail, config.site, composer, jobs);
    jobs.onApplicationBootstrap();
    return new TestSender(jobs, pool);
  }

  /** Stops the sender but keeps its connections to the database. */
  shutDown(): Promise<void> {
    if (!this.shuttingDown) this.jobs.onModuleDestroy();
    return (this.shuttingDown ??= this.jobs.onApplicationShutdown());
  }

  stop(): Promise<void> {
    return (this.stopping ??= this.end());
  }

  private async end(): Promise<void> {
    await this.shutDown();
    await this.pool.end();
  }
}

export interface MailAccount {
  id: string;
  email: string;
  phone: string;
  username: string;
}

export async function insertMailAccount(
  executor: Executor,
  options: { language?: 'en' | 'zh-CN'; verified?: boolean } = {},
): Promise<MailAccount> {
  const id = newId('acct');
  const digits = String(Math.floor(Math.random() * 1e10)).padStart(10, '0');
  const account = {
    id,
    email: `${id.toLowerCase()}@example.com`,
    phone: `+1${digits}`,
    username: `u${id.slice(-12).toLowerCase()}`,
  };
  await executor.query(
    `INSERT INTO accounts.accounts (id, email, phone, username, password_hash, language, email_verified_at)
     VALUES ($1, $2, $3, $4, 'unusable', $5, CASE WHEN $6 THEN now() END)`,
    [id, account.email, account.phone, account.username, options.language ?? 'en', options.verified ?? false],
  );
  return account;
}

/** Records all further log lines, each prefixed with its level. */
export function recordLog(): string[] {
  const lines: string[] = [];
  const keep =
    (level: string) =>
    (message: unknown): void =>
      void lines.push(`${level}: ${message instanceof Error ? message.stack : String(message)}`);
  Logger.overrideLogger({ log: keep('log'), warn: keep('warn'), error: keep('error') });
  return lines;
}

export interface OutboxRow {
  id: string;
  attempts: number;
  lastError: string | null;
  /** Seconds until the next attempt. */
  delay: number;
  claimed: boolean;
}

const ROWS = `
  SELECT id, attempts, last_error AS "lastError", claimed_until IS NOT NULL AS claimed,
    extract(epoch FROM next_attempt_at - now())::integer AS delay
  FROM accounts.mail_outbox ORDER BY id`;

/** Inspects the outbox and changes the times of its mails. */
export class TestOutbox {
  constructor(private readonly executor: Executor) {}

  async rows(): Promise<OutboxRow[]> {
    return (await this.executor.query<OutboxRow>(ROWS)).rows;
  }

  async isEmpty(): Promise<void> {
    await waitFor(async () => (await this.rows()).length === 0);
  }

  /** Resolves with the only mail after this number of attempts, when no attempt is in progress. */
  failedTimes(attempts: number): Promise<OutboxRow> {
    return waitFor(async () => {
      const [row] = await this.rows();
      return row?.attempts === attempts && !row.claimed && row;
    });
  }

  async makeDue(): Promise<void> {
    await this.executor.query(
      "UPDATE accounts.mail_outbox SET next_attempt_at = now() - interval '1 second'",
    );
  }

  /** Expires all claims, as if their holders had crashed. */
  async endClaims(): Promise<void> {
    await this.executor.query("UPDATE accounts.mail_outbox SET claimed_until = now() - interval '1 second'");
  }

  async makeOld(): Promise<void> {
    await this.executor.query("UPDATE accounts.mail_outbox SET created_at = now() - interval '25 hours'");
  }
}
