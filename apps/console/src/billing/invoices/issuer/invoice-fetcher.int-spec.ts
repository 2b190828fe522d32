import { waitFor } from '@inference/testing';
import { type SignedIn, TestConsole } from '../../../testing/console.fixture';
import { recordLog } from '../../../notifications/mail/mail.fixture';
import { markTaxFileRefused, postponeTaxFileRequest } from './invoice-requests.repository';
import { type InvoiceBody, InvoiceSite } from '../invoices.fixture';
import { ISSUER_TOKEN, TestIssuer } from './invoice-issuer.fixture';

const PDF = Buffer.from('%PDF-1.7\n of the tax authority');

interface RequestRow {
  attempts: number;
  isOver: boolean;
  isRefused: boolean;
  lastError: string | null;
}

describe('tax files', () => {
  let issuer: TestIssuer;
  let cn: InvoiceSite;
  let account: SignedIn;
  let log: string[];

  beforeAll(async () => {
    issuer = await TestIssuer.start();
    cn = await InvoiceSite.start({ ...issuer.environment, TAX_LINES: '[{"name":"增值税","percent":"6"}]' });
    account = await cn.site.signedIn();
  });
  beforeEach(() => {
    log = recordLog();
    issuer.requests.length = 0;
  });
  afterEach(() => cn.site.database.pool.query('UPDATE billing.invoice_requests SET next_attempt_at = NULL'));
  afterAll(async () => {
    await cn.stop();
    await issuer.stop();
  });

  const sql = () => cn.site.database.pool;
  async function rowOf({ id }: InvoiceBody): Promise<RequestRow> {
    const { rows } = await sql().query<RequestRow>(
      `SELECT attempts, next_attempt_at IS NULL AS "isOver", refused_at IS NOT NULL AS "isRefused",
         last_error AS "lastError"
       FROM billing.invoice_requests WHERE document_id = $1 AND claimed_until IS NULL`,
      [id],
    );
    return rows[0]!;
  }
  const triedTimes = (invoice: InvoiceBody, attempts: number) =>
    waitFor(async () => {
      const row = await rowOf(invoice);
      return row?.attempts === attempts && row;
    });
  const over = (invoice: InvoiceBody) =>
    waitFor(async () => ((await rowOf(invoice))?.isOver ? rowOf(invoice) : null));
  async function makeDue({ id }: InvoiceBody): Promise<void> {
    await sql().query('UPDATE billing.invoice_requests SET next_attempt_at = now() WHERE document_id = $1', [
      id,
    ]);
  }
  async function statusOf({ number }: InvoiceBody): Promise<string | undefined> {
    const { body } = await cn.site.console.request('GET', '/api/billing/invoices', { token: account.token });
    return (body as { invoices: InvoiceBody[] }).invoices.find((one) => one.number === number)?.status;
  }
  async function download({
    payment_id: id,
  }: InvoiceBody): Promise<{ type: string | null; name: string; bytes: Buffer }> {
    const response = await fetch(`${cn.site.console.url}/api/billing/invoices/${id}/download`, {
      headers: { Authorization: `Bearer ${account.token}` },
    });
    const name = /filename="([^"]*)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? '';
    return {
      type: response.headers.get('content-type'),
      name,
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  }

  it('are requested when an invoice is issued, then stored, downloaded and mailed', async () => {
    issuer.answer = TestIssuer.file('application/pdf', PDF);
    const invoice = await cn.issue(account, { email: 'a@example.com' });
    expect(invoice.status).toBe('processing');
    await over(invoice);
    expect(issuer.requests).toHaveLength(1);
    const { method, headers, body } = issuer.requests[0]!;
    expect(method).toBe('POST');
    expect(headers).toMatchObject({
      authorization: `Bearer ${ISSUER_TOKEN}`,
      'idempotency-key': invoice.number,
      'content-type': 'application/json',
    });
    expect(body).toEqual({
      number: invoice.number,
      issued_at: invoice.issued_at,
      seller: { name: 'Inference Platform' },
      buyer: { type: 'company', title: '上海某某信息技术有限公司', tax_id: '91310000MA1FL0AB3C' },
      currency: 'CNY',
      lines: [{ description: '账户充值（预付费）', amount: 1234.56 }],
      net: 1164.68,
      taxes: [{ name: '增值税', percent: '6', amount: 69.88 }],
      total: 1234.56,
      payment: {
        id: invoice.payment_id,
        provider: 'wallet_pay_provider',
        reference: `ref_${invoice.payment_id}`,
        paid_at: '2026-11-21T15:00:00.000Z',
      },
    });
    expect(await download(invoice)).toEqual({
      type: 'application/pdf',
      name: `invoice-${invoice.number}.pdf`,
      bytes: PDF,
    });
    expect(await statusOf(invoice)).toBe('official');
    const { rows } = await sql().query(
      'SELECT sha256 = sha256(bytes) AS same FROM billing.invoice_files WHERE document_id = $1',
      [invoice.id],
    );
    expect(rows).toEqual([{ same: true }]);
    // One for our own PDF and one for this file.
    expect(await cn.mailsOf(invoice.id)).toHaveLength(2);
    expect(log).toEqual([]);
  });

  it.each([
    ['application/ofd', 'PK\x03\x04...', 'application/ofd', 'ofd'],
    ['application/xml', '\ufeff\n<?xml version="1.0"?><a/>', 'application/xml', 'xml'],
    ['Text/HTML; Charset=GBK', '<!DOCTYPE html><p>', 'text/html; charset=gbk', 'html'],
  ])('can be %s', async (sent, content, type, extension) => {
    issuer.answer = TestIssuer.file(sent, content);
    const invoice = await cn.issue(account);
    await over(invoice);
    expect(await download(invoice)).toEqual({
      type,
      name: `invoice-${invoice.number}.${extension}`,
      bytes: Buffer.from(content),
    });
  });

  it('are requested again while the issuer answers 202', async () => {
    issuer.answer = TestIssuer.status(202);
    const invoice = await cn.issue(account);
    for (const attempt of [1, 2, 3]) {
      expect((await triedTimes(invoice, attempt)).lastError).toBeNull();
      await makeDue(invoice);
    }
    expect(await statusOf(invoice)).toBe('processing');
    expect((await download(invoice)).bytes.length).toBeGreaterThan(10_000);
    await triedTimes(invoice, 4);
    issuer.answer = TestIssuer.file('application/pdf', PDF);
    await makeDue(invoice);
    await over(invoice);
    expect((await download(invoice)).bytes).toEqual(PDF);
    expect(new Set(issuer.requests.map(({ headers }) => headers['idempotency-key']))).toEqual(
      new Set([invoice.number]),
    );
    expect(log).toEqual([]);
  });

  it.each([
    [1, 15],
    [2, 30],
    [3, 60],
    [8, 1_920],
    [9, 3_600],
    [5_000, 3_600],
  ])('are requested again with backoff: after %i attempts in %i s', async (attempts, seconds) => {
    issuer.answer = TestIssuer.status(202);
    const invoice = await cn.issue(account);
    await triedTimes(invoice, 1);
    await sql().transaction(async (client) => {
      const request = { ...invoice, accountId: '', issuedAt: new Date(), snapshot: {}, attempts };
      await client.query('UPDATE billing.invoice_requests SET attempts = $2 WHERE document_id = $1', [
        invoice.id,
        attempts,
      ]);
      await postponeTaxFileRequest(client, request, null);
      const { rows } = await client.query(
        `SELECT extract(epoch FROM next_attempt_at - now())::float8 AS seconds
         FROM billing.invoice_requests WHERE document_id = $1`,
        [invoice.id],
      );
      expect(rows).toEqual([{ seconds }]);
    });
  });

  it('are neither postponed nor refused by an attempt whose claim has ended', async () => {
    issuer.answer = TestIssuer.status(202);
    const invoice = await cn.issue(account);
    await triedTimes(invoice, 1);
    const read = async () =>
      (await sql().query('SELECT * FROM billing.invoice_requests WHERE document_id = $1', [invoice.id])).rows;
    const before = await read();
    const ended = { ...invoice, accountId: '', issuedAt: new Date(), snapshot: {}, attempts: 0 };
    await postponeTaxFileRequest(sql(), ended, 'late');
    await markTaxFileRefused(sql(), ended, 'late');
    expect(await read()).toEqual(before);
  });

  it.each([400, 409, 422])('are not requested again after a refusal with %i', async (status) => {
    issuer.answer = TestIssuer.status(status);
    const invoice = await cn.issue(account);
    expect(await over(invoice)).toMatchObject({ isRefused: true, attempts: 1, lastError: `HTTP ${status}` });
    await waitFor(async () => log.length > 0);
    expect(log).toEqual([`error: The issuer refuses the invoice ${invoice.number}: HTTP ${status}`]);
    expect(await statusOf(invoice)).toBe('refused');
    expect((await download(invoice)).bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect(await cn.mailsOf(invoice.id)).toHaveLength(1);
  });

  const cut = (response: { destroy(): unknown }) => void response.destroy();
  it.each([
    ['HTTP 500', TestIssuer.status(500)],
    ['HTTP 503', TestIssuer.status(503)],
    ['HTTP 429', TestIssuer.status(429)],
    ['HTTP 401', TestIssuer.status(401)],
    ['HTTP 204', TestIssuer.status(204)],
    ['HTTP 302', TestIssuer.status(302, { Location: '/elsewhere' })],
    ['UND_ERR_SOCKET', cut],
    ['a file of a type that is unknown here', TestIssuer.file('image/png', 'x')],
    ['a file of a type that is unknown here', TestIssuer.file('constructor', 'x')],
    ['a file that is no application/pdf', TestIssuer.file('application/pdf', '<html>')],
    ['a file that is no application/ofd', TestIssuer.file('application/ofd', '%PDF-')],
    ['a file that is no text/html', TestIssuer.file('text/html', 'Not found')],
    ['a file that is no application/xml', TestIssuer.file('application/xml', '')],
    [
      'a file of more than 5242880 bytes',
      TestIssuer.file('application/pdf', Buffer.alloc(5_242_881, '%PDF-')),
    ],
  ])('are requested again after: %s', async (reason, answer) => {
    issuer.answer = answer;
    const invoice = await cn.issue(account);
    expect(await triedTimes(invoice, 1)).toMatchObject({
      isOver: false,
      isRefused: false,
      lastError: reason,
    });
    await waitFor(async () => log.length > 0);
    expect(log).toEqual([`warn: No file of the invoice ${invoice.number} at attempt 1: ${reason}`]);
    issuer.answer = TestIssuer.file('application/pdf', PDF);
    await makeDue(invoice);
    await over(invoice);
    expect((await download(invoice)).bytes).toEqual(PDF);
  });

  it('are each requested by one replica, without locks', async () => {
    const second = await TestConsole.start(cn.site.database.urlFor('console'), {
      SITE: 'cn',
      ...issuer.environment,
    });
    issuer.answer = (response, { headers }) => {
      const lock = sql().query(
        `SELECT FROM billing.invoice_requests WHERE document_id =
           (SELECT id FROM billing.documents WHERE number = $1) FOR UPDATE NOWAIT`,
        [headers['idempotency-key']],
      );
      lock.then(
        () => TestIssuer.file('application/pdf', PDF)(response),
        () => TestIssuer.status(422)(response),
      );
    };
    const invoices = await Promise.all(Array.from({ length: 12 }, () => cn.issue(account)));
    for (const invoice of invoices) expect(await over(invoice)).toMatchObject({ isRefused: false });
    await second.close();
    expect(issuer.requests.map(({ headers }) => headers['idempotency-key']).sort()).toEqual(
      invoices.map(({ number }) => number).sort(),
    );
  });

  it('are requested again when a replica dies, and only the first of two files is stored', async () => {
    const responses: ((bytes: Buffer) => void)[] = [];
    issuer.answer = (response) =>
      void responses.push((bytes) => TestIssuer.file('application/pdf', bytes)(response));
    const invoice = await cn.issue(account);
    await waitFor(() => responses.length === 1);
    const { rows } = await sql().query(
      `UPDATE billing.invoice_requests SET claimed_until = now() WHERE document_id = $1
       RETURNING next_attempt_at <= now() AS due`,
      [invoice.id],
    );
    expect(rows).toEqual([{ due: true }]);
    const second = await TestConsole.start(cn.site.database.urlFor('console'), {
      SITE: 'cn',
      ...issuer.environment,
    });
    // The test log belongs to the console that started last.
    log = recordLog();
    await waitFor(() => responses.length === 2);
    responses[1]!(PDF);
    await over(invoice);
    responses[0]!(Buffer.from('%PDF- another'));
    await second.close();
    issuer.answer = TestIssuer.file('application/pdf', PDF);
    await over(await cn.issue(account));
    expect((await download(invoice)).bytes).toEqual(PDF);
    expect(await cn.mailsOf(invoice.id)).toHaveLength(2);
    expect(log).toEqual([]);
  });

  it('are not requested without an issuer', async () => {
    const alone = await InvoiceSite.start();
    const customer = await alone.site.signedIn();
    const invoice = await alone.issue(customer);
    const { rows } = await alone.site.database.pool.query('SELECT FROM billing.invoice_requests');
    await alone.stop();
    expect([invoice.status, rows]).toEqual(['issued', []]);
  });
});
