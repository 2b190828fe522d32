import { type SignedIn, TestConsole } from '../console.fixture';
import { PaymentSettlement } from './payment-settlement';
import { PaymentSite, PROVIDERS } from './payments.fixture';

/** What each provider takes for an acknowledgement. */
const ACKNOWLEDGED = {
  card_provider: [200, '{"received":true}'],
  messaging_pay_provider: [200, '{"code":"SUCCESS","message":"成功"}'],
  wallet_pay_provider: [200, 'success'],
} as const;

describe.each(PROVIDERS)('the notifications of %s', (provider, siteName) => {
  let payments: PaymentSite;
  let account: SignedIn;
  beforeAll(async () => (payments = await PaymentSite.start(siteName)));
  beforeEach(async () => {
    await payments.sandbox.tell();
    account = await payments.site.signedIn();
  });
  afterAll(() => payments.stop());

  const opened = async () => {
    const { id } = await payments.opened(account, provider);
    await payments.leaveAlone(id);
    return id;
  };
  const acknowledged = async (id: string, count: number) => {
    for (const delivery of await payments.deliveries(id, count)) {
      expect([delivery.status, delivery.body]).toEqual(ACKNOWLEDGED[provider]);
      expect(delivery.acknowledged).toBe(true);
    }
  };
  const creditedOnce = async (id: string) => {
    await payments.until(account, id, 'paid');
    expect(await payments.balance(account.accountId)).toBe(2000);
  };

  it('credit once when one comes ten times, and each is acknowledged', async () => {
    const id = await opened();
    await payments.sandbox.tell({ duplicate: 10 });
    await payments.sandbox.act(id, 'pay');
    await acknowledged(id, 10);
    await creditedOnce(id);
  });

  it('credit when they are late', async () => {
    const id = await opened();
    await payments.sandbox.tell({ delay_ms: 300, duplicate: 3 });
    await payments.sandbox.act(id, 'pay');
    await acknowledged(id, 3);
    await creditedOnce(id);
  });

  it('credit each payment once when they come in another order', async () => {
    await payments.sandbox.tell({ reorder: true, duplicate: 3 });
    const ids = [await opened(), await opened(), await opened()];
    for (const id of ids) await payments.sandbox.act(id, 'pay');
    expect(await payments.balance(account.accountId)).toBe(0);
    await payments.sandbox.flush();
    for (const id of ids) {
      await acknowledged(id, 3);
      await payments.until(account, id, 'paid');
    }
    expect(await payments.balance(account.accountId)).toBe(6000);
  });

  it('are not needed: the provider is asked when none comes', async () => {
    const { id } = await payments.opened(account, provider);
    await payments.sandbox.tell({ drop: true });
    await payments.sandbox.act(id, 'pay');
    await payments.checkSoon(id);
    await creditedOnce(id);
    const { deliveries } = await payments.sandbox.order(id);
    expect(deliveries.map(({ faults, status }) => [faults, status])).toEqual([[['drop'], null]]);
  });

  it.each([
    ['a wrong signature', { wrong_signature: 1 }, 400],
    ['a time long past', { old_timestamp: 1 }, 400],
    ['a time to come', { future_timestamp: 1 }, 400],
    ['another merchant', { wrong_merchant: 1 }, 400],
    ['another amount', { wrong_amount: 1 }, 409],
    ['another currency', { wrong_currency: 1 }, 409],
  ])('with %s change nothing and are refused; a good one credits', async (_fault, switches, status) => {
    const id = await opened();
    await payments.sandbox.tell({ ...switches, duplicate: 2 });
    await payments.sandbox.act(id, 'pay');
    const deliveries = await payments.deliveries(id, 2);
    const [refused] = deliveries.filter(({ faults }) => faults.length > 0);
    const [accepted] = deliveries.filter(({ faults }) => faults.length === 0);
    expect(refused).toMatchObject({ status, acknowledged: false });
    expect(accepted).toMatchObject({ status: 200, acknowledged: true });
    await creditedOnce(id);
  });

  it.each([
    ['a wrong signature', { wrong_signature: true }],
    ['another amount', { wrong_amount: true }],
    ['another merchant', { wrong_merchant: true }],
  ])('with %s never credit, however often they come', async (_fault, switches) => {
    const id = await opened();
    await payments.sandbox.tell({ ...switches, duplicate: 3 });
    await payments.sandbox.act(id, 'pay');
    for (const { acknowledged } of await payments.deliveries(id, 3)) expect(acknowledged).toBe(false);
    expect((await payments.read(account, id)).status).toBe('pending');
    expect(await payments.balance(account.accountId)).toBe(0);
  });

  it.each(['expire', 'fail'] as const)(
    'credit money that arrives after the order was made to %s',
    async (action) => {
      const id = await opened();
      await payments.sandbox.act(id, action);
      await payments.checkSoon(id);
      await payments.until(account, id, action === 'fail' ? 'failed' : 'expired');
      await payments.leaveAlone(id);
      const before = (await payments.sandbox.order(id)).deliveries.length;
      await payments.sandbox.tell({ paid_after_expiry: true });
      await payments.sandbox.act(id, 'pay');
      await acknowledged(id, before + 1);
      await creditedOnce(id);
    },
  );

  it.each([{ status: 'expired' }, { status: 'failed', reason: 'late news' }] as const)(
    'change nothing that is paid, when they say $status afterwards',
    async (state) => {
      const id = await opened();
      await payments.sandbox.act(id, 'pay');
      const paid = await payments.until(account, id, 'paid');
      await payments.site.console.app.get(PaymentSettlement).apply(provider, id, state);
      expect(await payments.read(account, id)).toEqual(paid);
      await creditedOnce(id);
    },
  );

  it('of something that is not here are refused', async () => {
    const id = await opened();
    await payments.site.database.pool.query('UPDATE billing.payments SET id = $2 WHERE id = $1', [
      id,
      `${id}x`,
    ]);
    await payments.sandbox.act(id, 'pay');
    expect((await payments.deliveries(id, 1))[0]).toMatchObject({ status: 404, acknowledged: false });
    await payments.site.database.pool.query('UPDATE billing.payments SET id = $1 WHERE id = $2', [
      id,
      `${id}x`,
    ]);
    await creditedOnce(id);
  });

  it('are not acknowledged before the credit is written', async () => {
    const id = await opened();
    const { pool } = payments.site.database;
    await pool.query('REVOKE INSERT ON wallet.entries FROM console');
    await payments.sandbox.act(id, 'pay');
    expect((await payments.deliveries(id, 1))[0]).toMatchObject({ status: 500, acknowledged: false });
    expect((await payments.read(account, id)).status).toBe('pending');
    await pool.query('GRANT INSERT ON wallet.entries TO console');
    await creditedOnce(id);
  });

  it.each([
    ['nothing'],
    ['{}'],
    ['\0\u00ff'],
    [JSON.stringify({ id: 'evt_1', type: 'checkout.session.completed' })],
  ])('that are %j are refused', async (body) => {
    const answer = await payments.site.console.request('POST', `/api/billing/webhooks/${provider}`, {
      raw: body === 'nothing' ? '' : body,
      headers: { 'Content-Type': 'application/octet-stream' },
    });
    expect(answer.status).toBe(400);
  });

  it('are 503 while the database is away, and credit when it is back', async () => {
    const id = await opened();
    // Port 1 of the loopback refuses connections.
    const cutOff = await TestConsole.start('postgres://console@127.0.0.1:1/platform', {
      SITE: siteName,
      ...payments.sandbox.consoleEnvironment(),
    });
    await payments.sandbox.deliverTo(cutOff.url);
    await payments.sandbox.act(id, 'pay');
    expect((await payments.deliveries(id, 1))[0]).toMatchObject({ status: 503, acknowledged: false });
    await payments.sandbox.deliverTo(payments.site.console.url);
    await cutOff.close();
    await creditedOnce(id);
  });

  it('go to enabled providers only', async () => {
    for (const name of [
      'paypal',
      ...PROVIDERS.filter(([, site]) => site !== siteName).map(([name]) => name),
    ]) {
      const answer = await payments.site.console.request('POST', `/api/billing/webhooks/${name}`, {
        raw: '{}',
      });
      expect([answer.status, answer.body]).toEqual([404, { error: 'no such provider' }]);
    }
  });
});
