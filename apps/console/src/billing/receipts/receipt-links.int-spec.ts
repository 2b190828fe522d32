import { type Database } from '@inference/database';
import { readConsoleConfig } from '../../config';
import { SealedTokens } from '../../identity/sealed-tokens';
import { type SignedIn, testEnvironment, TestSite } from '../../testing/console.fixture';
import { insertPayment } from '../documents/documents.fixture';
import { type DownloadLinkResponse } from '../documents/download';
import { type Payment } from '../payments/payment.entity';
import { ReceiptsService } from './receipts.service';

const SITE = 'http://console.test';
const FIVE_MINUTES_MILLIS = 300_000;

describe('a link to a receipt', () => {
  let site: TestSite;
  let account: SignedIn;
  let payment: Payment;

  beforeAll(async () => (site = await TestSite.start()));
  afterAll(() => site.stop());
  beforeEach(async () => {
    account = await site.signedIn();
    payment = await insertPayment(site.database.pool, account.accountId);
    const pool: Database = site.database.pool;
    const config = readConsoleConfig(testEnvironment('postgres://console@db.test/platform'));
    await pool.transaction((client) =>
      new ReceiptsService(pool, config.site, config.documents).issue(client, payment),
    );
  });

  const ask = (id: string, { token } = account) =>
    site.console.request('POST', `/api/billing/receipts/${id}/link`, { token });
  const linkTo = async (id: string) => (await ask(id)).body as DownloadLinkResponse;
  const pathOf = (url: string) => url.replace(SITE, '');
  /** As a browser follows it, without any credential. */
  const open = (path: string) => site.console.request('GET', path);

  it('opens the receipt without a credential for five minutes', async () => {
    const askedAt = Date.now();
    const answer = await ask(payment.id);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { url, expires_at: expiresAt } = answer.body as DownloadLinkResponse;
    expect(url.startsWith(`${SITE}/api/billing/receipts/${payment.id}/file?link=`)).toBe(true);
    expect(Math.abs(Date.parse(expiresAt) - askedAt - FIVE_MINUTES_MILLIS)).toBeLessThan(60_000);
    const opened = await open(pathOf(url));
    expect(opened.status).toBe(200);
    expect(opened.headers.get('content-disposition')).toMatch(/^attachment; filename="receipt-R-/);
    const { token } = account;
    const direct = await site.console.request('GET', `/api/billing/receipts/${payment.id}/download`, {
      token,
    });
    expect(opened.text).toBe(direct.text);
    for (const name of ['cache-control', 'content-security-policy', 'content-type'])
      expect(opened.headers.get(name)).toBe(direct.headers.get(name));
  });

  it('contains neither the session nor the account, and is no session', async () => {
    const { url } = await linkTo(payment.id);
    const link = new URL(url).searchParams.get('link')!;
    const decoded = link.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
    for (const text of [url, ...decoded]) {
      expect(text).not.toContain(account.token);
      expect(text).not.toContain(account.accountId);
    }
    for (const path of [
      `/api/billing/receipts/${payment.id}/download?token=${link}`,
      '/api/billing/payments',
    ])
      expect((await site.console.request('GET', path, { token: link })).status).toBe(401);
  });

  it('opens no other receipt, and no altered link opens one', async () => {
    const other = await insertPayment(site.database.pool, account.accountId);
    const path = pathOf((await linkTo(payment.id)).url);
    const invalid = [403, { error: 'the link is not valid or has expired: ask for another one' }];
    const altered = `${path.slice(0, -3)}${path.endsWith('AAA') ? 'BBB' : 'AAA'}`;
    const paths = [
      path.replace(payment.id, other.id),
      path.replace('receipts', 'invoices'),
      altered,
      `/api/billing/receipts/${payment.id}/file?link=x`,
      `/api/billing/receipts/${payment.id}/file?link=${account.token}`,
    ];
    for (const each of paths) {
      const { status, body } = await open(each);
      expect([status, body]).toEqual(invalid);
    }
    expect((await open(`/api/billing/receipts/${payment.id}/file`)).status).toBe(400);
    expect((await open(`${path}&link=x`)).status).toBe(400);
  });

  it('expires', async () => {
    const tokens = site.console.app.get(SealedTokens, { strict: false });
    const claims = { account_id: account.accountId };
    const expired = await tokens.seal('document-link', `receipts ${payment.id}`, claims, -1);
    const path = `/api/billing/receipts/${payment.id}/file?link=`;
    expect((await open(path + expired)).status).toBe(403);
    const valid = await tokens.seal('document-link', `receipts ${payment.id}`, claims, 60);
    expect((await open(path + valid)).status).toBe(200);
  });

  it('is 404 for another account, and for a payment without a receipt', async () => {
    const pending = await insertPayment(site.database.pool, account.accountId);
    const missing = [404, { error: 'no such receipt' }];
    const stranger = await site.signedIn('admin');
    for (const [id, caller] of [
      [payment.id, stranger],
      [pending.id, account],
      ['pay_unknown', account],
    ] as const) {
      const { status, body } = await ask(id, caller);
      expect([status, body]).toEqual(missing);
    }
    const unsigned = await site.console.request('POST', `/api/billing/receipts/${payment.id}/link`);
    expect(unsigned.status).toBe(401);
    const key = await ask(payment.id, { ...account, token: account.apiKey });
    expect(key.status).toBe(401);
  });
});
