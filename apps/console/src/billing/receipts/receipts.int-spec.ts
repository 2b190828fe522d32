import { createHash, createPrivateKey } from 'node:crypto';
import { Database } from '@inference/database';
import { SESSION_AUDIENCE, sessionIssuer } from '@inference/guards';
import { decodeJwt, SignJWT } from 'jose';
import { readConsoleConfig } from '../../config';
import {
  type RequestOptions,
  type SignedIn,
  SIGNING_KEY,
  TestConsole,
  testEnvironment,
  TestSite,
} from '../../testing/console.fixture';
import { HOSTILE_TEXT, insertPayment, insertRefund } from '../documents/documents.fixture';
import { type Payment } from '../payments/payment.entity';
import { ReceiptsService } from './receipts.service';

const SELLER = {
  name: 'Example & Sons',
  address: '1 Example Street',
  tax_id: 'US 12-3456789',
  email: 'billing@example.com',
};
const ENVIRONMENT = {
  SELLER: JSON.stringify(SELLER),
  TAX_LINES: '[{"name":"Sales tax","percent":"7.25"}]',
};

describe('receipts', () => {
  let site: TestSite;
  let account: SignedIn;
  const config = readConsoleConfig({
    ...testEnvironment('postgres://console@db.test/platform'),
    ...ENVIRONMENT,
  });

  beforeAll(async () => (site = await TestSite.start(ENVIRONMENT)));
  beforeEach(async () => (account = await site.signedIn()));
  afterAll(() => site.stop());

  const pathOf = ({ id }: { id: string }) => `/api/billing/receipts/${id}/download`;
  const download = (payment: { id: string }, options: RequestOptions = { token: account.token }) =>
    site.console.request('GET', pathOf(payment), options);
  const issue = (pool: Database, payment: Payment, settings = config) =>
    pool.transaction((client) =>
      new ReceiptsService(pool, settings.site, settings.documents).issue(client, payment),
    );
  async function insertPaymentWithReceipt(
    options: Parameters<typeof insertPayment>[2] = {},
    settings = config,
  ): Promise<Payment> {
    const payment = await insertPayment(site.database.pool, account.accountId, options);
    await issue(site.database.pool, payment, settings);
    return payment;
  }
  const missing = [404, { error: 'no such receipt' }];
  const refused = [401, { error: 'missing, expired or invalid credential' }];
  const wrongKind = [
    401,
    { error: 'this route accepts a session token (Authorization: Bearer or ?token=), not an API key' },
  ];

  it.each([
    ['full', 'Refunded in full', '1,234.56 USD', { amountMinor: 123_456n }],
    ['partial', 'Partly refunded', '34.50 USD', { amountMinor: 3_450n }],
    [
      'pending',
      'Refund in progress',
      '34.50 USD (Refund in progress)',
      { amountMinor: 3_450n, status: 'pending' },
    ],
  ] as const)('show a %s refund', async (_state, note, amount, refund) => {
    const payment = await insertPaymentWithReceipt();
    const before = (await download(payment)).text;
    expect(before).not.toMatch(/refund(s|ed)?</i);
    await insertRefund(site.database.pool, payment, { ...refund, amountMinor: 1n, status: 'failed' });
    expect((await download(payment)).text).toBe(before);
    await insertRefund(site.database.pool, payment, refund);
    const { text } = await download(payment);
    expect(text).toContain(`<p class="refunded">${note}</p>`);
    expect(text).toContain('<h2>Refunds</h2>');
    expect(text).toContain(`UTC</th><td>${amount}</td></tr>`);
    expect(text).toContain('1,234.56 USD');
  });

  it('are self-contained HTML with amounts, parties and taxes', async () => {
    const payment = await insertPaymentWithReceipt({
      payerName: 'Ada Lovelace',
      payerEmail: 'ada@lovelace.test',
    });
    const { status, headers, text } = await download(payment);
    expect(status).toBe(200);
    const number = /R-\d{4}-\d{6}/.exec(text)![0];
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-disposition': `attachment; filename="receipt-${number}.html"`,
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    for (const part of [
      '<bdi>Example &amp; Sons</bdi>',
      '<bdi>1 Example Street</bdi>',
      'Tax ID: <bdi>US 12-3456789</bdi>',
      '<bdi>Ada Lovelace</bdi>',
      '<bdi>ada@lovelace.test</bdi>',
      `Account: <bdi>${account.accountId.toLowerCase()}@example.com</bdi>`,
      '2026-11-21 15:00:00 UTC',
      `<bdi>ref_${payment.id}</bdi>`,
      'Card',
      '1,151.10 USD',
      '<bdi>Sales tax</bdi> (7.25%)',
      '83.46 USD',
      '1,234.56 USD',
    ])
      expect(text).toContain(part);
    expect(text).not.toMatch(/https?:|src=|<script|<link|@import|url\(/);
  });

  it('allow only their own style, by the header and by the file', async () => {
    const { headers, text } = await download(await insertPaymentWithReceipt());
    const style = /<style>([\s\S]*?)<\/style>/.exec(text)![1]!;
    const hash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
    const policy = headers.get('content-security-policy')!;
    expect(policy).toBe(
      `default-src 'none'; style-src ${hash}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox`,
    );
    const inFile = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text)![1]!;
    expect(inFile.replaceAll('&#39;', "'")).toBe(policy.split('; frame-ancestors')[0]);
    expect(text).not.toMatch(/ style="| on\w+="/);
  });

  it('show any payer name without executing it', async () => {
    const payment = await insertPaymentWithReceipt({
      payerName: `${HOSTILE_TEXT}${'N'.repeat(2_000)}`,
      payerEmail: '"><img src=x>',
    });
    const { status, text, headers } = await download(payment);
    expect(status).toBe(200);
    expect(text).toContain(
      '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; X-Injected: 1\ufffd gnp.exe \u{1f600}',
    );
    expect(text).toContain('<bdi>&quot;&gt;&lt;img src=x&gt;</bdi>');
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|[^\P{Cc}\n]|<script|<img|N{501}/u);
    expect(headers.get('x-injected')).toBeNull();
  });

  it("are in the account's language and stay unchanged after the issue", async () => {
    await site.database.pool.query("UPDATE accounts.accounts SET language = 'zh-CN' WHERE id = $1", [
      account.accountId,
    ]);
    const payment = await insertPaymentWithReceipt();
    const before = await download(payment);
    expect(before.text).toContain('<html lang="zh-CN">');
    expect(before.text).toContain('账户充值');
    await site.database.pool.query(
      "UPDATE accounts.accounts SET language = 'en', email = 'new@example.com' WHERE id = $1",
      [account.accountId],
    );
    expect((await download(payment)).text).toBe(before.text);
  });

  it('name the site without a configured seller, and omit taxes without rates', async () => {
    const bare = readConsoleConfig({
      ...testEnvironment('postgres://console@db.test/platform'),
      SITE_NAME: 'The <Site>',
    });
    const { text } = await download(await insertPaymentWithReceipt({}, bare));
    expect(text).toContain('<bdi>The &lt;Site&gt;</bdi>');
    expect(text).not.toContain('Net');
  });

  it("are issued once, with the console's database role", async () => {
    const pool = site.console.app.get(Database);
    const payment = await insertPayment(site.database.pool, account.accountId);
    await issue(pool, payment);
    const { text } = await download(payment);
    await issue(pool, payment);
    expect((await download(payment)).text).toBe(text);
  });

  it('accept a session as Bearer or as ?token=, which no response repeats', async () => {
    const payment = await insertPaymentWithReceipt();
    const answer = await site.console.request('GET', `${pathOf(payment)}?token=${account.token}`);
    expect(answer.status).toBe(200);
    expect(answer.text).toBe((await download(payment)).text);
    expect(JSON.stringify([...answer.headers]) + answer.text).not.toContain(account.token);
    const unknown = await site.console.request('GET', `${pathOf(payment)}?token=${account.token}&lang=en`);
    expect([unknown.status, unknown.body]).toEqual([400, { error: 'lang: is not known here' }]);
    const head = await site.console.request('HEAD', pathOf(payment), { token: account.token });
    expect([head.status, head.text]).toEqual([200, '']);
  });

  it("answer 401 without a session, with an expired one and with another site's", async () => {
    const payment = await insertPaymentWithReceipt();
    const { sid = '' } = decodeJwt<{ sid: string }>(account.token);
    const sign = (issuer: 'intl' | 'cn', expiresIn: number) =>
      new SignJWT({ sid })
        .setProtectedHeader({ alg: 'ES256', kid: SIGNING_KEY.kid })
        .setSubject(account.accountId)
        .setIssuer(sessionIssuer(issuer))
        .setAudience(SESSION_AUDIENCE)
        .setExpirationTime(Math.floor(Date.now() / 1000) + expiresIn)
        .sign(createPrivateKey({ key: SIGNING_KEY, format: 'jwk' }));
    const [good, expired, elsewhere] = [
      await sign('intl', 300),
      await sign('intl', -1),
      await sign('cn', 300),
    ];
    expect((await download(payment, { token: good })).status).toBe(200);
    for (const token of [expired, elsewhere, 'rubbish', account.apiKey]) {
      const bearer = await download(payment, { token });
      expect([bearer.status, bearer.body]).toEqual(token === account.apiKey ? wrongKind : refused);
      const query = await site.console.request('GET', `${pathOf(payment)}?token=${token}`);
      expect([query.status, query.body]).toEqual(refused);
    }
    for (const options of [{}, { headers: { Cookie: `session=${account.token}` } }])
      expect((await download(payment, options)).status).toBe(401);
    await site.console.request('POST', '/api/auth/logout', { token: account.token });
    expect((await site.console.request('GET', `${pathOf(payment)}?token=${account.token}`)).status).toBe(401);
  });

  it('answer 404 for an unknown, foreign or unpaid payment', async () => {
    const payment = await insertPaymentWithReceipt();
    const other = await site.signedIn();
    const admin = await site.signedIn('admin');
    for (const { token } of [other, admin]) {
      const answer = await download(payment, { token });
      expect([answer.status, answer.body]).toEqual(missing);
    }
    for (const id of ['unknown', '%E2%80%AE', '%00', '..%2f..%2fetc%2fpasswd']) {
      const answer = await download({ id });
      expect([answer.status, answer.body]).toEqual(missing);
    }
    for (const status of ['pending', 'failed', 'expired'] as const) {
      const unpaid = await insertPayment(site.database.pool, account.accountId, { status });
      const answer = await download(unpaid);
      expect([answer.status, answer.body]).toEqual(missing);
    }
  });

  it('answer 404 on the China site even if its database holds a receipt', async () => {
    const payment = await insertPaymentWithReceipt();
    const elsewhere = await TestConsole.start(site.database.urlFor('console'), { SITE: 'cn' });
    const token = await elsewhere.openSession(account.accountId);
    const answer = await elsewhere.request('GET', pathOf(payment), { token });
    await elsewhere.close();
    expect([answer.status, answer.body]).toEqual(missing);
  });
});
