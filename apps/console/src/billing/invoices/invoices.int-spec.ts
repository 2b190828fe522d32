import { newId } from '@inference/database';
import { waitForLock } from '@inference/testing';
import { type SignedIn, TestSite } from '../../testing/console.fixture';
import { insertPayment } from '../documents/documents.fixture';
import { type Payment } from '../payments/payment.entity';
import { COMPANY, type InvoiceBody, InvoiceSite } from './invoices.fixture';

const YEAR_IN_CHINA = new Date(Date.now() + 8 * 3_600_000).getUTCFullYear();

describe('invoices', () => {
  let cn: InvoiceSite;
  let account: SignedIn;
  let payment: Payment;

  beforeAll(async () => (cn = await InvoiceSite.start({ TAX_LINES: '[{"name":"增值税","percent":"6"}]' })));
  beforeEach(async () => {
    account = await cn.site.signedIn();
    payment = await cn.insertPayment(account.accountId);
  });
  afterAll(() => cn.stop());

  const order = (changes: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    cn.request(account, { payment_id: payment.id, ...COMPANY, ...changes }, headers);
  const list = (query = '', { token } = account) =>
    cn.site.console.request('GET', `/api/billing/invoices${query}`, { token });
  const listed = async (query = '', of = account) =>
    (await list(query, of)).body as { invoices: InvoiceBody[]; next_cursor: string | null };
  async function documentCount(): Promise<number> {
    const { rows } = await cn.site.database.pool.query(
      'SELECT count(*)::integer AS count FROM billing.documents WHERE account_id = $1',
      [account.accountId],
    );
    return rows[0].count;
  }
  async function refund(status: 'pending' | 'succeeded' | 'failed'): Promise<void> {
    await cn.site.database.pool.query(
      `INSERT INTO billing.refunds (id, payment_id, amount_minor, status, ordered_by, ended_at)
       VALUES ($1, $2, 1, $3, $4, CASE WHEN $3 <> 'pending' THEN now() END)`,
      [newId('rfd'), payment.id, status, account.accountId],
    );
  }

  it('are issued for a paid payment and mailed', async () => {
    const answer = await order({ tax_id: ' 91310000ma1fl0ab3c ', email: 'Finance@Example.cn' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^doc_/),
      number: expect.stringMatching(new RegExp(`^INV-${YEAR_IN_CHINA}-\\d{6}$`)),
      payment_id: payment.id,
      type: 'company',
      title: COMPANY.title,
      tax_id: COMPANY.tax_id,
      email: 'finance@example.cn',
      amount: 1234.56,
      refunded_amount: 0,
      currency: 'CNY',
      status: 'issued',
      issued_at: expect.stringMatching(/Z$/),
      download_url: `http://console.test/api/billing/invoices/${payment.id}/download`,
    });
    expect(answer.text).toContain('"amount":1234.56,');
    const { id: documentId } = answer.body as InvoiceBody;
    expect(await cn.mailsOf(documentId)).toEqual([{ accountId: account.accountId, params: { documentId } }]);
    expect((await listed()).invoices).toEqual([answer.body]);
  });

  it('are issued to persons without a tax number', async () => {
    const answer = await order({ type: 'personal', title: '张三', tax_id: undefined });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ type: 'personal', title: '张三', tax_id: null, email: null });
  });

  it.each([
    [{ payment_id: undefined }, 'payment_id'],
    [{ payment_id: '' }, 'payment_id'],
    [{ payment_id: 7 }, 'payment_id'],
    [{ payment_id: 'unknown' }, 'payment_id: must be an id like pay_'],
    [{ payment_id: 'doc_1' }, 'payment_id: must be an id like pay_'],
    [{ payment_id: 'pay_a\0' }, 'payment_id'],
    [{ title: undefined }, 'title'],
    [{ title: ' ' }, 'title'],
    [{ title: '\u202e\u200b' }, 'title'],
    [{ title: 'a\nb' }, 'title'],
    [{ title: 'x'.repeat(201) }, 'title'],
    [{ title: 'a\0' }, 'title'],
    [{ title: '\ud800' }, 'title'],
    [{ type: 'firm' }, 'type'],
    [{ type: undefined }, 'type'],
    [{ tax_id: undefined }, 'tax_id: is missing for a company'],
    [{ tax_id: '9131' }, 'tax_id'],
    [{ tax_id: '91310000-MA1FL0AB3C' }, 'tax_id'],
    [{ tax_id: '9'.repeat(21) }, 'tax_id'],
    [{ tax_id: null }, 'tax_id'],
    [{ email: 'nobody' }, 'email'],
    [{ email: 'a@b.c\r\nBcc: d@e.f' }, 'email'],
    [{ amount: 1 }, 'amount'],
  ])('answers 400 for %j', async (changes, field) => {
    const answer = await order(changes);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(field) }]);
    expect(await documentCount()).toBe(0);
  });

  it('require a session in the header, otherwise 401', async () => {
    const { console } = cn.site;
    const json = { payment_id: payment.id, ...COMPANY };
    const query = `?token=${account.token}`;
    for (const path of ['/api/billing/invoices', `/api/billing/invoices${query}`]) {
      expect((await console.request('POST', path, { json })).status).toBe(401);
      expect((await console.request('GET', path)).status).toBe(401);
    }
  });

  it("answer 404 for an unknown payment and for another account's, even to an admin", async () => {
    const unknown = await order({ payment_id: 'pay_unknown' });
    expect([unknown.status, unknown.body]).toEqual([404, { error: 'no such payment' }]);
    for (const role of ['user', 'admin'] as const) {
      const other = await cn.request(await cn.site.signedIn(role), { payment_id: payment.id, ...COMPANY });
      expect([other.status, other.body]).toEqual([404, { error: 'no such payment' }]);
    }
    expect(await documentCount()).toBe(0);
  });

  it.each(['pending', 'failed', 'expired'] as const)('answer 409 for a %s payment', async (status) => {
    const unpaid = await cn.insertPayment(account.accountId, { status });
    const answer = await order({ payment_id: unpaid.id });
    expect([answer.status, answer.body]).toEqual([409, { error: `the payment is ${status}` }]);
  });

  it('answer 409 for a second invoice of a payment', async () => {
    await order();
    const answer = await order({ title: 'Someone else' });
    expect([answer.status, answer.body]).toEqual([409, { error: 'the payment has an invoice' }]);
    expect(await documentCount()).toBe(1);
  });

  it('are issued once for concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => order()));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect(await documentCount()).toBe(1);
  });

  it.each(['pending', 'succeeded'] as const)('answer 409 for a payment with a %s refund', async (status) => {
    await refund(status);
    const answer = await order();
    expect([answer.status, answer.body]).toEqual([409, { error: 'the payment was refunded' }]);
  });

  it('are issued for a payment whose refund failed', async () => {
    await refund('failed');
    expect((await order()).status).toBe(201);
  });

  it('show in the list what was given back of the payment since', async () => {
    const { body } = await order();
    await refund('failed');
    await refund('succeeded');
    expect((await listed()).invoices).toEqual([{ ...(body as InvoiceBody), refunded_amount: 0.01 }]);
  });

  it('wait for a refund that is being created and then answer 409', async () => {
    const client = await cn.site.database.pool.connect();
    await client.query('BEGIN');
    await client.query(
      'INSERT INTO billing.refunds (id, payment_id, amount_minor, ordered_by) VALUES ($1, $2, 1, $3)',
      [newId('rfd'), payment.id, account.accountId],
    );
    const answer = order();
    await waitForLock(cn.site.database.pool);
    await client.query('COMMIT');
    client.release();
    expect((await answer).status).toBe(409);
  });

  it('return the first answer for a repeated idempotency key, also for concurrent requests', async () => {
    const headers = { 'Idempotency-Key': 'invoice 1' };
    const answers = await Promise.all(Array.from({ length: 4 }, () => order({}, headers)));
    expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await documentCount()).toBe(1);
    const other = await order({ title: 'Someone else' }, headers);
    expect([other.status, other.body]).toEqual([409, { error: expect.stringContaining('idempotency key') }]);
  });

  it('are repeated in the present form if an older version has stored the answer', async () => {
    const headers = { 'Idempotency-Key': 'invoice of an older version' };
    const { body } = await order({}, headers);
    await cn.site.database.pool.query(
      `UPDATE billing.idempotency_keys SET answer = (answer::jsonb - 'refunded_amount')::text WHERE account_id = $1`,
      [account.accountId],
    );
    expect((await order({}, headers)).body).toEqual(body);
  });

  it('release the idempotency key of a refused request', async () => {
    const headers = { 'Idempotency-Key': 'invoice 2' };
    const unpaid = await cn.insertPayment(account.accountId, { status: 'pending' });
    expect((await order({ payment_id: unpaid.id }, headers)).status).toBe(409);
    expect((await order({}, headers)).status).toBe(201);
  });

  it('are listed to their account newest first, in pages', async () => {
    const issued: InvoiceBody[] = [];
    for (let count = 0; count < 5; count++) issued.unshift(await cn.issue(account));
    const numbers = issued.map(({ number }) => number);
    expect((await listed()).invoices.map(({ number }) => number)).toEqual(numbers);
    const first = await listed('?limit=2');
    expect(first.invoices.map(({ number }) => number)).toEqual(numbers.slice(0, 2));
    // A new invoice does not change the following pages.
    await order();
    const second = await listed(`?limit=2&cursor=${first.next_cursor}`);
    const third = await listed(`?limit=2&cursor=${second.next_cursor}`);
    expect([...second.invoices, ...third.invoices].map(({ number }) => number)).toEqual(numbers.slice(2));
    expect(third.next_cursor).toBeNull();
    const other = await cn.site.signedIn();
    expect(await listed('', other)).toEqual({ invoices: [], next_cursor: null });
    expect((await list(`?cursor=${first.next_cursor}`, other)).status).toBe(400);
    for (const query of ['?limit=0', '?limit=101', '?limit=x', '?cursor=x', '?limit=1&limit=2'])
      expect((await list(query)).status).toBe(400);
  });

  it('stay unchanged after the configuration changes', async () => {
    const { body } = await order();
    await cn.site.database.pool.query('UPDATE accounts.accounts SET email = $2 WHERE id = $1', [
      account.accountId,
      `${account.accountId.toLowerCase()}@changed.example`,
    ]);
    expect((await listed()).invoices).toEqual([body]);
  });

  it('answer 404 on the international site', async () => {
    const intl = await TestSite.start();
    const customer = await intl.signedIn();
    const paid = await insertPayment(intl.database.pool, customer.accountId);
    const { token } = customer;
    const json = { payment_id: paid.id, ...COMPANY };
    const ordered = await intl.console.request('POST', '/api/billing/invoices', { token, json });
    const list = await intl.console.request('GET', '/api/billing/invoices', { token });
    await intl.stop();
    expect([ordered.status, ordered.body]).toEqual([404, { error: 'invoices are for the China site' }]);
    expect([list.status, list.body]).toEqual([200, { invoices: [], next_cursor: null }]);
  });
});
