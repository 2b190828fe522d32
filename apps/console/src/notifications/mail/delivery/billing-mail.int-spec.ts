import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase, waitFor } from '@inference/testing';
import { type ParsedMail, simpleParser } from 'mailparser';
import { ENTITIES } from '../../../entities';
import {
  insertMailAccount,
  type MailAccount,
  recordLog,
  TestMailServer,
  TestOutbox,
  TestSender,
} from '../mail.fixture';
import { issueDocument, newDocumentId } from '../../../billing/documents/documents.repository';
import { type InvoiceSnapshot } from '../../../billing/documents/document-snapshot';
import { type MailRequest } from '../mail-kinds';
import { queueMail } from '../outbox';

const AT = '2026-11-21T15:05:01.250Z';
const PAYMENT = { amount: '19.9', currency: 'USD', paymentId: 'pay_1', at: AT } as const;

const ORDERS = (accountId: string): MailRequest[] => [
  { kind: 'payment_received', accountId, params: PAYMENT },
  { kind: 'payment_refunded', accountId, params: { ...PAYMENT, amount: '5', currency: 'CNY' } },
  {
    kind: 'low_balance',
    accountId,
    params: { threshold: '5', balance: '4.998812345678', currency: 'USD', at: AT },
  },
];

const SNAPSHOT: InvoiceSnapshot = {
  language: 'zh-CN',
  seller: { name: '示例科技有限公司' },
  currency: 'CNY',
  lines: [{ description: '账户充值', amountMinor: 10_000n }],
  netMinor: 10_000n,
  taxes: [],
  totalMinor: 10_000n,
  payment: { id: 'pay_1', provider: 'wallet_pay_provider', reference: 'ref_1', paidAt: new Date(AT) },
  buyer: { type: 'company', title: '买方有限公司', taxId: '91310000MA1FL0B00X' },
  mailTo: null,
};

describe('billing mails', () => {
  let database: TestDatabase;
  let outbox: TestOutbox;
  let server: TestMailServer;
  let sender: TestSender | undefined;
  let folder: string;
  let log: string[];

  beforeAll(async () => (database = await createTestDatabase(ENTITIES)));
  beforeEach(async () => {
    outbox = new TestOutbox(database.pool);
    log = recordLog();
    server = await TestMailServer.start();
    folder = await mkdtemp(join(tmpdir(), 'money-mail-'));
  });
  afterEach(async () => {
    await sender?.stop();
    await server.close();
    await rm(folder, { recursive: true });
    await database.pool.query('DELETE FROM accounts.mail_outbox');
  });
  afterAll(() => database.drop());

  const start = async (environment: Record<string, string>) => {
    const shared = { CONSOLE_UI_URL: 'https://ui.example.com', SITE_NAME: 'Example' };
    sender = await TestSender.start(database.urlFor('console'), { ...shared, ...environment });
  };
  const order = async (account: MailAccount) => {
    for (const each of ORDERS(account.id)) await queueMail(database.pool, each);
  };
  const facts = ({ subject, text }: ParsedMail) => `${subject}\n${text}`;

  it('contain the amounts paid, refunded and left, by SMTP', async () => {
    const account = await insertMailAccount(database.pool);
    await order(account);
    await start({ SMTP_URL: server.url });
    await waitFor(() => server.mails.length === 3);
    const find = (part: string) => server.mails.find(({ subject }) => subject?.includes(part))!;
    for (const mail of server.mails) {
      expect(mail.recipients).toEqual([account.email]);
      expect(mail.attachments).toEqual([]);
      const page = mail.subject!.includes('balance') ? 'top-up' : 'payments';
      expect(mail.text!.split('\n')).toContain(`https://ui.example.com/${page}`);
    }
    expect(facts(find('received'))).toMatch(/19\.90 USD[\s\S]*pay_1[\s\S]*2026-11-21 15:05:01 UTC/);
    expect(facts(find('refunded'))).toMatch(/5\.00 CNY[\s\S]*pay_1[\s\S]*2026-11-21 15:05:01 UTC/);
    expect(facts(find('balance'))).toMatch(/below 5\.00 USD[\s\S]*about 4\.99 USD/);
    expect(log).toEqual([]);
  });

  it("are written to a folder in the account's language", async () => {
    await order(await insertMailAccount(database.pool, { language: 'zh-CN' }));
    await start({ MAIL_FOLDER: folder });
    await outbox.isEmpty();
    const names = (await readdir(folder)).sort();
    expect(names.map((name) => name.split('-')[1]).sort()).toEqual([
      'low_balance',
      'payment_received',
      'payment_refunded',
    ]);
    for (const name of names) {
      const file = await readFile(join(folder, name), 'utf8');
      const mail = await simpleParser(file);
      expect(mail.subject).toMatch(/19\.90 美元|5\.00 元|5\.00 美元/);
      const page = name.includes('low_balance') ? 'top-up' : 'payments';
      expect(file.split('\n')).toContain(`https://ui.example.com/${page}`);
    }
  });

  /** Creates a paid payment with an invoice and returns the id of the invoice. */
  async function issueInvoice(accountId: string, paymentId: string, mailTo: string | null): Promise<string> {
    await database.pool.query(
      "INSERT INTO wallet.wallets (account_id, currency) VALUES ($1, 'CNY') ON CONFLICT DO NOTHING",
      [accountId],
    );
    await database.pool.query(
      `INSERT INTO billing.payments (id, account_id, provider, amount_minor, currency, status, created_at, expires_at,
         paid_at, provider_reference)
       VALUES ($1, $2, 'wallet_pay_provider', 10000, 'CNY', 'paid', now(), now(), now(), $1)`,
      [paymentId, accountId],
    );
    const id = newDocumentId();
    const snapshot = { ...SNAPSHOT, mailTo };
    const document = { kind: 'invoice', paymentId, accountId, snapshot } as const;
    await database.pool.transaction((transaction) => issueDocument(transaction, 'cn', id, document));
    return id;
  }
  const requestInvoiceMail = (accountId: string, documentId: string) =>
    queueMail(database.pool, { kind: 'invoice_issued', accountId, params: { documentId } });

  it("carry an invoice to the address given for it, otherwise to the account's address", async () => {
    const account = await insertMailAccount(database.pool);
    for (const [paymentId, mailTo] of [
      ['pay_here', null],
      ['pay_there', 'books@example.org'],
    ] as const)
      await requestInvoiceMail(account.id, await issueInvoice(account.id, paymentId, mailTo));
    await requestInvoiceMail(account.id, 'doc_none');
    await start({ SMTP_URL: server.url });
    await outbox.isEmpty();
    expect(server.mails.map(({ recipients }) => recipients[0]).sort()).toEqual([
      account.email,
      'books@example.org',
    ]);
    for (const { subject, text, attachments } of server.mails) {
      const number = /INV-\d{4}-\d{6}/.exec(subject!)![0];
      expect(text).toContain(number);
      expect(attachments).toHaveLength(1);
      const [{ filename, contentType, content }] = attachments as [(typeof attachments)[0]];
      expect([filename, contentType]).toEqual([`invoice-${number}.pdf`, 'application/pdf']);
      expect(content.subarray(0, 5).toString()).toBe('%PDF-');
      expect(content.subarray(-6).toString()).toContain('%%EOF');
    }
    expect(log).toEqual([]);
  });

  it("carry the tax authority's file unchanged, to a folder too", async () => {
    const account = await insertMailAccount(database.pool, { language: 'zh-CN' });
    const documentId = await issueInvoice(account.id, 'pay_official', null);
    const bytes = Buffer.from(Array.from({ length: 3_000 }, (_, n) => (n * 7) % 256));
    await database.pool.query(
      `INSERT INTO billing.invoice_files (document_id, content_type, file_name, bytes, sha256)
       VALUES ($1, 'application/ofd', '电子发票.ofd', $2, '')`,
      [documentId, bytes],
    );
    await requestInvoiceMail(account.id, documentId);
    await start({ MAIL_FOLDER: folder });
    await outbox.isEmpty();
    const [name] = await readdir(folder);
    const file = await readFile(join(folder, name!), 'utf8');
    const { subject, attachments } = await simpleParser(file);
    expect(subject).toContain('票据 INV-');
    expect(file).toContain('请见附件');
    expect(attachments.map(({ filename, contentType }) => [filename, contentType])).toEqual([
      ['电子发票.ofd', 'application/ofd'],
    ]);
    expect(attachments[0]!.content.equals(bytes)).toBe(true);
  });

  it('are kept for a replica that can read their contents', async () => {
    const account = await insertMailAccount(database.pool);
    const params = { amount: 'a lot', currency: 'USD', paymentId: 'pay_1', at: AT } as const;
    await queueMail(database.pool, { kind: 'payment_received', accountId: account.id, params });
    await start({ SMTP_URL: server.url });
    expect((await outbox.failedTimes(1)).lastError).toContain('must be a finite decimal number');
    expect(server.mails).toEqual([]);
  });
});
