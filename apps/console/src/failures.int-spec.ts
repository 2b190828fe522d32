import { SESSION_AUDIENCE, sessionIssuer } from '@inference/guards';
import { createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { SIGNING_KEY, TestConsole, TestSite } from './testing/console.fixture';

const LOGIN = { identifier: 'someone@example.com', password: 'correct horse' };
const PRICES = { models: [{ slug: 'm', unit: 'per_request', price: 1 }] };

/** Every route that uses the database, with a valid request. */
const REQUESTS: [method: string, path: string, json: unknown][] = [
  ['GET', '/api/pricing', undefined],
  ['GET', '/api/models', undefined],
  ['GET', '/api/models/m', undefined],
  ['GET', '/api/download/engine-latest', undefined],
  ['GET', '/api/announcements', undefined],
  ['GET', '/api/changelog', undefined],
  ['GET', '/api/changelog.atom', undefined],
  ['GET', '/sitemap.xml', undefined],
  ['GET', '/sitemap-1.xml', undefined],
  ['GET', '/api/admin/releases', undefined],
  ['GET', '/api/admin/releases/followed', undefined],
  ['PUT', '/api/admin/releases/engine/v1.0.0', { name: 'n', draft: true, assets: [] }],
  ['DELETE', '/api/admin/releases/engine/v1.0.0', undefined],
  ['POST', '/api/admin/changelog', { title: 't', body: 'b' }],
  ['PUT', '/api/admin/changelog/chg_1', { title: 't', body: 'b' }],
  ['DELETE', '/api/admin/changelog/chg_1', undefined],
  ['GET', '/api/admin/billing/pricing/models', undefined],
  ['PATCH', '/api/admin/billing/pricing/models', PRICES],
  ['GET', '/api/admin/billing/pricing/gpus', undefined],
  ['PATCH', '/api/admin/billing/pricing/gpus', { gpus: [{ name: 'g', hourly_price: 1 }] }],
  ['GET', '/api/admin/billing/pricing/training', undefined],
  ['PUT', '/api/admin/billing/pricing/training', { token_per_m: 1, gpu_hour: 1 }],
  ['GET', '/api/admin/billing/pricing/training/history', undefined],
  ['GET', '/api/admin/billing/pricing/models/history', undefined],
  ['GET', '/api/admin/billing/pricing/gpus/history', undefined],
  ['GET', '/api/admin/models', undefined],
  ['GET', '/api/admin/models/m', undefined],
  ['PUT', '/api/admin/models/m', { name: 'm' }],
  ['DELETE', '/api/admin/models/m/packages/1', undefined],
  ['GET', '/api/admin/downloads', undefined],
  ['POST', '/api/auth/register', { email: 'someone@example.com', password: 'correct horse' }],
  ['POST', '/api/auth/login', LOGIN],
  ['GET', '/api/auth/me', undefined],
  ['POST', '/api/auth/logout', undefined],
  ['GET', '/api/auth/sessions', undefined],
  ['DELETE', '/api/auth/sessions', undefined],
  ['DELETE', '/api/auth/sessions/sess_1', undefined],
  ['POST', '/api/auth/password/forgot', { identifier: 'someone@example.com' }],
  ['POST', '/api/auth/password/reset', { token: `rst_${'a'.repeat(43)}`, password: 'correct horse' }],
  ['PUT', '/api/auth/password', { current_password: 'correct horse', new_password: 'another horse' }],
  ['POST', '/api/auth/email/verify', { token: `vrf_${'a'.repeat(43)}` }],
  ['POST', '/api/auth/email/verify', { email: 'someone@example.com' }],
  ['POST', '/api/auth/2fa/setup', undefined],
  ['POST', '/api/auth/2fa/enable', { code: '123456' }],
  ['POST', '/api/auth/2fa/disable', { password: 'correct horse', code: '123456' }],
  ['POST', '/api/auth/2fa/recovery-codes', { password: 'correct horse', code: '123456' }],
  ['POST', '/api/auth/2fa/verify', { challenge_id: 'chal_1', code: '123456' }],
  ['GET', '/api/auth/events', undefined],
  ['GET', '/api/auth/identities', undefined],
  ['DELETE', '/api/auth/identities/idn_1', undefined],
  ['POST', '/api/api-keys', { name: 'a' }],
  ['GET', '/api/api-keys', undefined],
  ['DELETE', '/api/api-keys/key_0', undefined],
  ['GET', '/api/billing/usage', undefined],
  ['GET', '/api/billing/transactions', undefined],
  ['GET', '/api/billing/settings', undefined],
  ['GET', '/api/billing/payments', undefined],
  ['GET', '/api/billing/payments/pay_1', undefined],
  ['GET', '/api/billing/receipts/pay_1/download', undefined],
  ['POST', '/api/billing/invoices', { payment_id: 'pay_1', type: 'personal', title: 'Someone' }],
  ['GET', '/api/billing/invoices', undefined],
  ['GET', '/api/billing/invoices/pay_1/download', undefined],
  ['GET', '/api/admin/accounts', undefined],
  ['PUT', '/api/admin/accounts/acct_1/role', { role: 'user' }],
  ['POST', '/api/admin/accounts/acct_1/2fa/disable', { password: 'correct horse' }],
  ['GET', '/api/admin/events', undefined],
  ['PUT', '/api/admin/billing/pricing/models', PRICES],
  ['PUT', '/api/admin/billing/pricing/gpus', { gpus: [] }],
  ['GET', '/api/admin/billing/exchange-rates', undefined],
  ['PUT', '/api/admin/billing/exchange-rates', { rates: [{ date: '2026-01-01', usd_per_unit: 0.14 }] }],
  ['POST', '/api/admin/billing/adjustments', { account_id: 'acct_1', amount: 1, description: 'd' }],
  ['GET', '/api/admin/billing/payments/pay_1', undefined],
  ['POST', '/api/admin/billing/payments/pay_1/refund', {}],
];

function sign(): Promise<string> {
  return new SignJWT({ sid: 'sess_1' })
    .setProtectedHeader({ alg: 'ES256', kid: SIGNING_KEY.kid })
    .setSubject('acct_1')
    .setIssuer(sessionIssuer('intl'))
    .setAudience(SESSION_AUDIENCE)
    .setExpirationTime('5m')
    .sign(createPrivateKey({ key: SIGNING_KEY, format: 'jwk' }));
}

describe('without a database', () => {
  let console: TestConsole;

  // Port 1 of the loopback interface refuses connections.
  beforeAll(async () => (console = await TestConsole.start('postgres://console@127.0.0.1:1/platform')));
  afterAll(() => console.close());

  it('the console starts, and its health check is 503', async () => {
    const answer = await console.request('GET', '/healthz');
    expect([answer.status, answer.body]).toEqual([503, { error: 'database unavailable' }]);
  });

  it.each(REQUESTS)('%s %s is 503', async (method, path, json) => {
    const answer = await console.request(method, path, { token: await sign(), json });
    expect([answer.status, answer.body]).toEqual([503, { error: 'database unavailable' }]);
    expect(answer.headers.get('retry-after')).not.toBeNull();
  });

  it('a download is 503', async () => {
    const answer = await console.request('GET', `/api/models/m/download?token=${await sign()}`);
    expect([answer.status, answer.body]).toEqual([503, { error: 'database unavailable' }]);
  });

  it('an upload is 503', async () => {
    const answer = await console.request('PUT', '/api/admin/models/m/packages/1', {
      token: await sign(),
      raw: 'content',
      headers: { 'Content-Type': 'application/octet-stream' },
    });
    expect([answer.status, answer.body]).toEqual([503, { error: 'database unavailable' }]);
  });

  it('routes that need no database work', async () => {
    expect((await console.request('GET', '/api/site')).status).toBe(200);
    expect((await console.request('GET', '/.well-known/jwks.json')).status).toBe(200);
  });
});

describe('with a database that refuses statements', () => {
  let site: TestSite;
  let token: string;

  beforeAll(async () => {
    site = await TestSite.start();
    ({ token } = await site.signedIn('admin'));
    await site.database.pool.query(
      'REVOKE USAGE ON SCHEMA accounts, wallet, metering, pricing, catalogue FROM console',
    );
  });
  afterAll(() => site.stop());

  it.each(REQUESTS)('%s %s is 500 without the cause', async (method, path, json) => {
    const answer = await site.console.request(method, path, { token, json });
    expect([answer.status, answer.body]).toEqual([500, { error: 'internal server error' }]);
  });

  it('the health check is 200', async () => {
    const answer = await site.console.request('GET', '/healthz');
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
  });
});
