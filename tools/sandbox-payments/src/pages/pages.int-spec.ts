import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { newCredentials } from '../credentials/credentials';
import { ownAnswer } from '../routes';
import { Sandbox } from '../sandbox';
import { type SandboxPaymentsServer, startServer } from '../server';
import { openStripeOrder, type StripeOrder } from '../stripe-order.fixture';

const HOSTILE = `"><script>alert(1)</script><img src=x onerror='alert(1)'> & 名`;
const ESCAPED =
  '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt; &amp; 名';
const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const FORM_TYPE = 'application/x-www-form-urlencoded';
const FORM = { ...BROWSER, 'Content-Type': FORM_TYPE };

const { accounts } = newCredentials('intl');
/** An address at which nothing listens. */
const MERCHANT = 'http://127.0.0.1:9';
const CONFIG = { host: '127.0.0.1', port: 0, accounts, merchant: MERCHANT, file: null };

describe('the pages of the sandbox for payments', () => {
  let server: SandboxPaymentsServer;

  beforeAll(async () => {
    server = await startServer(CONFIG);
  });
  afterAll(() => server.close());

  const open = (order: StripeOrder) => openStripeOrder(server.url, accounts.stripe!.secretKey, order);
  const get = async (path: string) => {
    const response = await fetch(server.url + path, { headers: BROWSER });
    return { status: response.status, headers: response.headers, html: await response.text() };
  };
  const submit = (path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    fetch(server.url + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...FORM, ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  const injectFaults = (faults: object) =>
    fetch(`${server.url}/_sandbox/behaviour`, { method: 'POST', body: JSON.stringify(faults) });

  it('show an order with a QR code of its URL', async () => {
    await open({ id: 'shown' });
    const { html, headers } = await get('/orders/shown');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const text of ['Stripe', 'USD 12.34', 'Top-up', '>open<', 'UTC', 'None was sent yet'])
      expect(html).toContain(text);
    const [, encoded] = /<img src="data:image\/png;base64,([^"]+)"/.exec(html)!;
    const { data, width, height } = PNG.sync.read(Buffer.from(encoded!, 'base64'));
    expect(jsQR(new Uint8ClampedArray(data), width, height)?.data).toBe(`${server.url}/orders/shown`);
    expect(html).toContain('href="http://merchant.test/billing?a=1&amp;b=2"');
  });

  it('escape the input of other users', async () => {
    await open({ id: 'hostile', description: HOSTILE });
    await submit('/orders/hostile/pay', { name: HOSTILE, email: `${HOSTILE}@example.com` });
    const { html } = await get('/orders/hostile');
    expect(html.split(ESCAPED)).toHaveLength(4);
    expect(html).not.toContain('<script');
    expect(html).not.toContain("src=x onerror='");
  });

  it('run no script and load no external resource', async () => {
    await open({ id: 'policy' });
    for (const path of ['/', '/orders/policy', '/orders/none']) {
      const { html, headers } = await get(path);
      const policy = headers.get('content-security-policy')!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("form-action 'self';");
      expect(policy).not.toContain('script-src');
      expect(policy).not.toContain('unsafe');
      expect(html).not.toMatch(/<script|\son\w+=|style="/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('never link to an address that would run a script', async () => {
    const sandbox = new Sandbox(CONFIG, server.url);
    sandbox.book.open({
      ...{
        id: 'script',
        provider: 'stripe',
        amountMinor: 5,
        currency: 'USD',
        description: '',
        reference: '',
      },
      ...{ expiresAt: new Date(Date.now() + 60_000).toISOString(), notifyUrl: null, details: {} },
      returnUrl: 'javascript:alert(1)',
    });
    const ask = (method: string, path: string) => {
      const request = { method, path, target: path, query: new URLSearchParams(), body: Buffer.alloc(0) };
      return ownAnswer(sandbox, { ...request, headers: { accept: 'text/html', 'content-type': FORM_TYPE } });
    };
    const { body } = await ask('GET', '/orders/script');
    expect(body).toContain('USD 0.05');
    expect(body).not.toContain('javascript:');
    expect(await ask('POST', '/orders/script/pay')).toMatchObject({
      status: 303,
      headers: { Location: '/orders/script' },
    });
    await sandbox.close();
  });

  it('show the payer the result of the payment', async () => {
    for (const [id, action] of [
      ['form-pay', 'pay'],
      ['form-fail', 'fail'],
      ['form-expire', 'expire'],
    ] as const) {
      await open({ id });
      const { status, headers } = await submit(`/orders/${id}/${action}`, { name: '', email: '' });
      expect([status, headers.get('location')]).toEqual([303, `/orders/${id}`]);
      const { html } = await get(`/orders/${id}`);
      expect(html).not.toContain('<form');
      const again = await submit(`/orders/${id}/pay`);
      expect(again.status).toBe(409);
      expect(await again.text()).toContain('<h1>The order is ');
    }
  });

  it('offer to pay a finished order only if this is configured', async () => {
    await open({ id: 'late' });
    await submit('/orders/late/expire');
    await injectFaults({ paid_after_expiry: true });
    const { html } = await get('/orders/late');
    expect(html).toContain('action="/orders/late/pay"');
    expect(html).not.toContain('/orders/late/fail');
    await injectFaults({});
  });

  it('answer a form of curl like a script', async () => {
    await open({ id: 'curl' });
    const answer = await submit('/orders/curl/pay', { name: 'Ada' }, { Accept: '*/*' });
    expect(await answer.json()).toMatchObject({ status: 'paid', payer: { name: 'Ada' } });
  });

  it.each<Record<string, string>>([
    { Origin: 'http://elsewhere.test' },
    { Origin: 'null' },
    { Origin: 'http://127.0.0.1:1' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
  ])('do nothing for the page of another site: %j', async (headers) => {
    const id = `foreign-${JSON.stringify(headers).replace(/\W/g, '')}`;
    await open({ id });
    for (const path of [`/orders/${id}/pay`, '/_sandbox/behaviour', '/_sandbox/merchant', '/_sandbox/flush'])
      expect([path, (await submit(path, {}, headers)).status]).toEqual([path, 403]);
    expect((await get(`/orders/${id}`)).html).toContain('>open<');
  });

  it('process their own forms', async () => {
    await open({ id: 'own' });
    const own = { Origin: server.url, 'Sec-Fetch-Site': 'same-origin' };
    expect((await submit('/orders/own/pay', {}, own)).status).toBe(303);
  });

  it('list the orders in descending order of time', async () => {
    await open({ id: 'older' });
    await open({ id: 'newer' });
    const { html } = await get('/');
    expect(html.indexOf('/orders/newer"')).toBeGreaterThan(0);
    expect(html.indexOf('/orders/newer"')).toBeLessThan(html.indexOf('/orders/older"'));
  });

  it('show errors as pages', async () => {
    const { status, html } = await get('/orders/<script>');
    expect(status).toBe(404);
    expect(html).toContain('<h1>There is no such order.</h1>');
    expect((await submit('/orders/shown/pay', { email: 'nobody' })).status).toBe(400);
    expect((await submit('/orders/shown/pay', { other: 'x' })).status).toBe(400);
  });
});
