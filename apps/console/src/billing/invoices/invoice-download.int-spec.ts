import { createHash } from 'node:crypto';
import { type RequestOptions, type SignedIn, TestConsole } from '../../testing/console.fixture';
import { HOSTILE_TEXT, insertRefund } from '../documents/documents.fixture';
import { findPayment } from '../payments/payments.repository';
import { readInvoiceFile } from './invoice-file';
import { type InvoiceBody, InvoiceSite } from './invoices.fixture';
import { readPdf } from './pdf-text.fixture';

const MISSING = [404, { error: 'no such invoice' }];

describe('invoice download', () => {
  let cn: InvoiceSite;
  let account: SignedIn;

  beforeAll(
    async () => (cn = await InvoiceSite.start({ SELLER: JSON.stringify({ name: '北京智算科技有限公司' }) })),
  );
  beforeEach(async () => (account = await cn.site.signedIn()));
  afterAll(() => cn.stop());

  const pathOf = (paymentId: string) => `/api/billing/invoices/${paymentId}/download`;
  const download = (paymentId: string, options: RequestOptions = { token: account.token }) =>
    cn.site.console.request('GET', pathOf(paymentId), options);
  async function bytesOf({ payment_id: paymentId }: InvoiceBody): Promise<Buffer> {
    const response = await fetch(cn.site.console.url + pathOf(paymentId), {
      headers: { Authorization: `Bearer ${account.token}` },
    });
    return Buffer.from(await response.arrayBuffer());
  }
  const storeFile = (documentId: string, type: string, name: string, bytes: Buffer) =>
    cn.site.database.pool.query('INSERT INTO billing.invoice_files VALUES ($1, $2, $3, $4, $5)', [
      documentId,
      type,
      name,
      bytes,
      createHash('sha256').update(bytes).digest(),
    ]);

  it("is a PDF attachment that is named after the invoice's number", async () => {
    const invoice = await cn.issue(account, { title: '上海"某某" 公司 <script>' });
    const { status, headers } = await download(invoice.payment_id);
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="invoice-${invoice.number}.pdf"`,
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    });
    const texts = readPdf(await bytesOf(invoice)).map(({ text }) => text);
    expect(texts).toContain('上海"某某" 公司 <script>');
    expect(texts).toContain('北京智算科技有限公司');
    expect(texts).toContain('人民币壹仟贰佰叁拾肆元伍角陆分');
    expect(texts).toContain('支付宝');
    expect(texts).toContain(invoice.number);
  });

  it('opens by a link without a credential', async () => {
    const { payment_id: paymentId } = await cn.issue(account, { title: '某某' });
    const { token } = account;
    const path = `/api/billing/invoices/${paymentId}/link`;
    const answer = await cn.site.console.request('POST', path, { token });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { url } = answer.body as { url: string };
    expect(url).toContain(`/api/billing/invoices/${paymentId}/file?link=`);
    const opened = await fetch(cn.site.console.url + url.slice(new URL(url).origin.length));
    expect(opened.status).toBe(200);
    expect(Buffer.from(await opened.arrayBuffer())).toEqual(
      await bytesOf({ payment_id: paymentId } as InvoiceBody),
    );
    const altered = await cn.site.console.request('GET', `/api/billing/invoices/${paymentId}/file?link=x`);
    expect(altered.status).toBe(403);
    const stranger = await cn.site.signedIn();
    const refused = await cn.site.console.request('POST', path, { token: stranger.token });
    expect([refused.status, refused.body]).toEqual(MISSING);
    expect((await cn.site.console.request('POST', path)).status).toBe(401);
  });

  it('returns the same file each time, which is also the mailed one', async () => {
    const invoice = await cn.issue(account, {
      title: HOSTILE_TEXT.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ''),
      email: 'a@example.com',
    });
    const bytes = await bytesOf(invoice);
    expect(bytes.equals(await bytesOf(invoice))).toBe(true);
    const mailed = await readInvoiceFile(cn.site.database.pool, invoice.id);
    expect(mailed).toEqual({
      number: invoice.number,
      to: 'a@example.com',
      fileName: `invoice-${invoice.number}.pdf`,
      contentType: 'application/pdf',
      content: bytes,
    });
    expect((await readInvoiceFile(cn.site.database.pool, (await cn.issue(account)).id))!.to).toBeNull();
    expect(await readInvoiceFile(cn.site.database.pool, 'doc_unknown')).toBeNull();
  });

  it('shows the refund of the payment, also after it was downloaded before', async () => {
    const invoice = await cn.issue(account);
    const before = await bytesOf(invoice);
    const payment = (await findPayment(cn.site.database.pool, invoice.payment_id))!;
    await insertRefund(cn.site.database.pool, payment, { amountMinor: 3_450n });
    const bytes = await bytesOf(invoice);
    expect(readPdf(before).map(({ text }) => text)).not.toContain('退款信息');
    const texts = readPdf(bytes).map(({ text }) => text);
    for (const text of ['已部分退款', '退款信息', '¥34.50', '¥1,234.56']) expect(texts).toContain(text);
    expect(bytes.equals(await bytesOf(invoice))).toBe(true);
  });

  it("returns the tax authority's file once it has arrived, and mails it", async () => {
    const invoice = await cn.issue(account);
    const bytes = Buffer.from('PK\x03\x04\xff\x00 OFD', 'latin1');
    await storeFile(invoice.id, 'application/ofd', `invoice-${invoice.number}.ofd`, bytes);
    const { status, headers } = await download(invoice.payment_id);
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      200,
      'application/ofd',
      `attachment; filename="invoice-${invoice.number}.ofd"`,
    ]);
    expect(headers.get('content-security-policy')).toContain('sandbox');
    expect((await bytesOf(invoice)).equals(bytes)).toBe(true);
    expect(await readInvoiceFile(cn.site.database.pool, invoice.id)).toMatchObject({
      fileName: `invoice-${invoice.number}.ofd`,
      contentType: 'application/ofd',
      content: bytes,
    });
    const list = await cn.site.console.request('GET', '/api/billing/invoices', { token: account.token });
    expect(list.body).toMatchObject({ invoices: [{ number: invoice.number, status: 'official' }] });
  });

  it('encodes any file name safely in the header', async () => {
    const invoice = await cn.issue(account);
    await storeFile(invoice.id, 'application/pdf', '发票"\r\nX-Injected: 1.pdf', Buffer.from('%PDF-'));
    const { status, headers } = await download(invoice.payment_id);
    expect([status, headers.get('x-injected')]).toEqual([200, null]);
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename="[ -~]*"; filename\*=UTF-8''[\w.%!*-]+$/,
    );
  });

  it('accepts a session as Bearer or as ?token= and answers 401 otherwise', async () => {
    const { payment_id: paymentId } = await cn.issue(account);
    const path = pathOf(paymentId);
    expect(
      (await download(paymentId, { headers: { Authorization: `bearer ${account.token}` } })).status,
    ).toBe(200);
    const byQuery = await cn.site.console.request('GET', `${path}?token=${account.token}`);
    expect(byQuery.status).toBe(200);
    expect(JSON.stringify([...byQuery.headers])).not.toContain(account.token);
    const unknown = await cn.site.console.request('GET', `${path}?token=${account.token}&type=pdf`);
    expect([unknown.status, unknown.body]).toEqual([400, { error: 'type: is not known here' }]);
    for (const answer of [
      await download(paymentId, {}),
      await download(paymentId, { token: 'rubbish' }),
      await download(paymentId, { token: account.apiKey }),
      await download(paymentId, { headers: { Cookie: `session=${account.token}` } }),
      await cn.site.console.request('GET', `${path}?token=`),
      await cn.site.console.request('GET', `${path}?token=rubbish`),
      await cn.site.console.request('GET', `${path}?token=${account.token}&token=${account.token}`),
    ])
      expect([answer.status, answer.body]).toEqual([401, { error: expect.any(String) }]);
    await cn.site.console.request('POST', '/api/auth/logout', { token: account.token });
    expect((await cn.site.console.request('GET', `${path}?token=${account.token}`)).status).toBe(401);
  });

  it('answers 404 for an unknown, foreign or unpaid payment and for one without an invoice', async () => {
    const invoice = await cn.issue(account);
    for (const role of ['user', 'admin'] as const) {
      const { token } = await cn.site.signedIn(role);
      const answer = await download(invoice.payment_id, { token });
      expect([answer.status, answer.body]).toEqual(MISSING);
      const byQuery = await cn.site.console.request('GET', `${pathOf(invoice.payment_id)}?token=${token}`);
      expect(byQuery.status).toBe(404);
    }
    const paid = await cn.insertPayment(account.accountId);
    const pending = await cn.insertPayment(account.accountId, { status: 'pending' });
    for (const id of ['unknown', invoice.id, invoice.number, paid.id, pending.id]) {
      const answer = await download(id);
      expect([answer.status, answer.body]).toEqual(MISSING);
    }
  });

  it('answers 404 on the international site even if its database holds an invoice', async () => {
    const { payment_id: paymentId } = await cn.issue(account);
    const elsewhere = await TestConsole.start(cn.site.database.urlFor('console'), { SITE: 'intl' });
    const token = await elsewhere.openSession(account.accountId);
    const answer = await elsewhere.request('GET', pathOf(paymentId), { token });
    await elsewhere.close();
    expect([answer.status, answer.body]).toEqual(MISSING);
  });
});
