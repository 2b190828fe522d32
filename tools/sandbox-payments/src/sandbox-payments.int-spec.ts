import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, waitFor } from '@inference/testing';
import Stripe from 'stripe';
import { readConfig } from './config';
import { newCredentials } from './credentials/credentials';
import { TestMerchant } from './merchant.fixture';
import { SandboxPayments, type SandboxPaymentsOptions } from './sandbox-payments';
import { openStripeOrder } from './stripe-order.fixture';

const WEBHOOK = '/api/billing/webhooks/card_provider';

const started: SandboxPayments[] = [];
const start = async (options: Partial<SandboxPaymentsOptions> = {}) => {
  started.push(await SandboxPayments.start({ site: 'intl', port: await findFreePort(), ...options }));
  return started.at(-1)!;
};
const merchants: TestMerchant[] = [];
const startMerchant = async (port?: number) => {
  merchants.push(await TestMerchant.start(port));
  return merchants.at(-1)!;
};
const open = (sandbox: SandboxPayments, id: string) =>
  openStripeOrder(sandbox.url, sandbox.consoleEnvironment().STRIPE_SECRET_KEY!, { id });

afterAll(async () => {
  await Promise.all(started.map((each) => each.kill()));
  await Promise.all(merchants.map((each) => each.close()));
});

describe('the sandbox for payments', () => {
  let sandbox: SandboxPayments;
  let merchant: TestMerchant;

  beforeAll(async () => {
    merchant = await startMerchant();
    sandbox = await start();
    await sandbox.deliverTo(merchant.url);
  });
  afterEach(() => sandbox.injectFaults());

  it('pays an order and notifies the merchant', async () => {
    const page = await open(sandbox, 'pay_1');
    expect(page).toContain(sandbox.url);
    expect(await sandbox.order('pay_1')).toMatchObject({ status: 'open', waiting: 0, deliveries: [] });
    const paid = await sandbox.act('pay_1', 'pay', { name: ' Ada ', email: 'ada@example.com' });
    expect(paid).toMatchObject({ status: 'paid', payer: { name: 'Ada', email: 'ada@example.com' } });
    const order = await waitFor(async () => {
      const now = await sandbox.order('pay_1');
      return now.deliveries.length > 0 && now;
    });
    expect(order).toEqual({
      ...{ id: 'pay_1', provider: 'stripe', status: 'paid', amount_minor: 1_234, currency: 'USD' },
      ...{ description: 'Top-up', reference: expect.stringMatching(/^pi_/), payer: paid.payer },
      ...{ created_at: expect.any(String), expires_at: expect.any(String), paid_at: expect.any(String) },
      ...{ refunds: [], waiting: 0 },
      deliveries: [
        {
          ...{ attempt: 1, order_status: 'paid', refunds: 0, url: merchant.url + WEBHOOK, faults: [] },
          ...{ status: 200, body: 'success', error: null, acknowledged: true, sent_at: expect.any(String) },
        },
      ],
    });
    const [{ path, headers, body }] = merchant.received as [(typeof merchant.received)[number]];
    expect(path).toBe(WEBHOOK);
    const secret = sandbox.consoleEnvironment().STRIPE_WEBHOOK_SECRETS!;
    const signature = headers['stripe-signature']!;
    expect(new Stripe('sk_test_x').webhooks.constructEvent(body, signature, secret).type).toBe(
      'checkout.session.completed',
    );
  });

  it.each([
    ['fail', 'failed'],
    ['expire', 'expired'],
  ] as const)('lets an order %s, which ends it', async (action, status) => {
    const id = `pay_${action}`;
    await open(sandbox, id);
    expect((await sandbox.act(id, action)).status).toBe(status);
    for (const next of ['pay', 'fail', 'expire'] as const)
      await expect(sandbox.act(id, next)).rejects.toThrow(`(409): {"error":"The order is ${status}."}`);
    await sandbox.injectFaults({ paid_after_expiry: true });
    expect((await sandbox.act(id, 'pay')).status).toBe('paid');
    await expect(sandbox.act(id, 'pay')).rejects.toThrow('409');
  });

  it('holds notifications until a flush if this is configured', async () => {
    await sandbox.injectFaults({ reorder: true, duplicate: 2 });
    await open(sandbox, 'pay_held');
    expect(await sandbox.act('pay_held', 'pay')).toMatchObject({ waiting: 2, deliveries: [] });
    expect(await sandbox.flush()).toBe(2);
    await waitFor(async () => (await sandbox.order('pay_held')).deliveries.length === 2);
  });

  it('rejects an invalid configuration of faults', async () => {
    await open(sandbox, 'pay_refusals');
    await expect(sandbox.order('unknown')).rejects.toThrow('404');
    await expect(sandbox.act('unknown', 'pay')).rejects.toThrow('404');
    await expect(sandbox.injectFaults({ rubbish: true } as object)).rejects.toThrow('400');
    await expect(sandbox.injectFaults({ duplicate: 0 })).rejects.toThrow('400');
    await expect(sandbox.injectFaults({ api: { open: 200 } })).rejects.toThrow('400');
    for (const origin of ['ftp://x', 'nothing', ''])
      await expect(sandbox.deliverTo(origin)).rejects.toThrow('400');
    for (const payer of [{ name: 'x'.repeat(201) }, { email: 'nobody' }, { role: 'admin' }, { name: 1 }])
      await expect(sandbox.act('pay_refusals', 'pay', payer as object)).rejects.toThrow('400');
    const ask = async (path: string, init?: RequestInit) => {
      const response = await fetch(sandbox.url + path, init);
      return [response.status, ((await response.json()) as { error: string }).error];
    };
    const pay = '/orders/pay_refusals/pay';
    expect(await ask('/nowhere')).toEqual([404, expect.any(String)]);
    expect(await ask('/orders/%E0%A4%A')).toEqual([404, expect.any(String)]);
    expect(await ask('/orders/pay_refusals', { method: 'DELETE' })).toEqual([405, expect.any(String)]);
    expect(await ask(pay)).toEqual([405, expect.any(String)]);
    expect(await ask(pay, { method: 'POST', body: '{' })).toEqual([400, expect.any(String)]);
    expect(await ask(pay, { method: 'POST', body: '[]' })).toEqual([400, expect.any(String)]);
    expect(await ask(pay, { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) })).toEqual([
      413,
      expect.any(String),
    ]);
    expect((await sandbox.order('pay_refusals')).status).toBe('open');
    // A body of exactly the maximum size.
    expect(await ask(pay, { method: 'POST', body: ' '.repeat(1024 * 1024 - 2) + '{}' })).toEqual([
      200,
      undefined,
    ]);
  });

  it('answers health checks, and lists orders for scripts, newest first', async () => {
    expect(await (await fetch(`${sandbox.url}/healthz`)).json()).toEqual({ status: 'ok' });
    await open(sandbox, 'pay_newest');
    const list = await fetch(sandbox.url, { headers: { Accept: 'application/json' } });
    const { orders } = (await list.json()) as { orders: { id: string }[] };
    expect(orders[0]!.id).toBe('pay_newest');
    expect(orders.length).toBeGreaterThan(1);
  });
});

describe('a kill', () => {
  let folder: string;
  let merchant: TestMerchant;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sandbox-payments-'));
    merchant = await startMerchant();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('discards all orders, but keeps address and keys', async () => {
    const sandbox = await start();
    const environment = sandbox.consoleEnvironment();
    await open(sandbox, 'pay_1');
    await sandbox.kill();
    await expect(fetch(`${sandbox.url}/healthz`)).rejects.toThrow();
    await sandbox.restart();
    expect(sandbox.consoleEnvironment()).toEqual(environment);
    await expect(sandbox.order('pay_1')).rejects.toThrow('404');
    await open(sandbox, 'pay_1');
  });

  it('keeps all reported orders with a file', async () => {
    const file = join(folder, 'orders.json');
    const sandbox = await start({ file });
    await sandbox.deliverTo(merchant.url);
    for (let i = 0; i < 3; i++) {
      await open(sandbox, `pay_${i}`);
      await sandbox.kill();
      await sandbox.restart();
      await sandbox.act(`pay_${i}`, i === 0 ? 'fail' : 'pay');
      await sandbox.kill();
      await sandbox.restart();
      expect((await sandbox.order(`pay_${i}`)).status).toBe(i === 0 ? 'failed' : 'paid');
    }
    await waitFor(async () => (await sandbox.order('pay_2')).deliveries.some((each) => each.acknowledged));
    const keys = Object.values(sandbox.consoleEnvironment()).filter((value) => !value.startsWith('http'));
    for (const key of keys) expect(readFileSync(file, 'utf8')).not.toContain(key);
  });

  it('leaves unacknowledged notifications to the next start', async () => {
    const sandbox = await start({ file: join(folder, 'unsent.json') });
    const away = await startMerchant();
    await away.close();
    await sandbox.deliverTo(away.url);
    await open(sandbox, 'pay_refused');
    await open(sandbox, 'pay_held');
    await sandbox.act('pay_refused', 'pay');
    await waitFor(async () => (await sandbox.order('pay_refused')).deliveries.length > 0);
    await sandbox.injectFaults({ reorder: true });
    await sandbox.act('pay_held', 'pay');
    await sandbox.kill();
    const back = await startMerchant(Number(new URL(away.url).port));
    await sandbox.restart();
    const { deliveries } = await waitFor(async () => {
      const order = await sandbox.order('pay_refused');
      return order.waiting === 0 && order;
    });
    expect(deliveries[0]).toMatchObject({ attempt: 1, status: null });
    expect(deliveries.at(-1)).toMatchObject({ status: 200, acknowledged: true });
    expect(await sandbox.order('pay_held')).toMatchObject({ waiting: 1, deliveries: [] });
    expect(await sandbox.flush()).toBe(1);
    await waitFor(() => back.received.length === 2);
  });

  it('is not required: an ordinary stop keeps everything, too', async () => {
    const sandbox = await start({ file: join(folder, 'stopped.json') });
    await open(sandbox, 'pay_1');
    await sandbox.stop();
    await sandbox.restart();
    expect((await sandbox.order('pay_1')).status).toBe('open');
  });

  it('prevents a restart if the file is invalid or cannot be written', async () => {
    await expect(start({ file: __filename })).rejects.toThrow('holds no orders');
    await expect(start({ file: join(folder, 'missing/orders.json') })).rejects.toThrow('ENOENT');
  });
});

describe('credentials', () => {
  it('belong to the site and contain the address of the sandbox', async () => {
    const sandbox = await start({ site: 'cn' });
    const environment = sandbox.consoleEnvironment();
    expect(environment).toMatchObject({
      WECHAT_PAY_API_URL: sandbox.url,
      ALIPAY_GATEWAY_URL: `${sandbox.url}/gateway.do`,
    });
    expect(Object.keys(environment).filter((name) => !/^(WECHAT_PAY|ALIPAY)_/.test(name))).toEqual([]);
    const platformKeys = JSON.parse(environment.WECHAT_PAY_PLATFORM_KEYS!) as object;
    expect(Object.keys(platformKeys)).toEqual([expect.stringMatching(/^PUB_KEY_ID_\d+$/)]);
  });

  it('can contain two certificates of WeChat Pay', () => {
    const { accounts, console } = newCredentials('cn', { certificates: true });
    const published = Object.entries(JSON.parse(console.WECHAT_PAY_PLATFORM_KEYS!) as Record<string, string>);
    expect(published).toHaveLength(2);
    expect(published.map(([id, certificate]) => [id, certificate])).toEqual(
      accounts.wechat!.platformKeys.map(({ id, certificate }) => [id, certificate]),
    );
    for (const [id, certificate] of published) expect(new X509Certificate(certificate).serialNumber).toBe(id);
  });
});

describe('its configuration', () => {
  it('has defaults', () => {
    expect(readConfig({})).toEqual({
      ...{ host: '127.0.0.1', port: 3092, accounts: {}, merchant: null, file: null },
    });
  });

  it('reports all errors at once, without values', () => {
    const faulty = {
      SANDBOX_PAYMENTS_PORT: '70000',
      SANDBOX_PAYMENTS_PARTIES: '{"stripe":{"secretKey":"sk_secret"}}',
      SANDBOX_PAYMENTS_MERCHANT: 'nowhere',
    };
    for (const name of Object.keys(faulty)) expect(() => readConfig(faulty)).toThrow(name);
    expect(() => readConfig(faulty)).not.toThrow('sk_secret');
    expect(() => readConfig({ SANDBOX_PAYMENTS_PARTIES: '{' })).toThrow('must be valid JSON');
  });
});
