import { InvalidNotificationError } from '../payment-provider';
import { AlipaySandbox } from './alipay.fixture';

describe('notifications of the Alipay sandbox', () => {
  let site: AlipaySandbox;

  beforeAll(async () => {
    site = await AlipaySandbox.start();
  });
  afterEach(() => site.sandbox.injectFaults());
  afterAll(() => site?.stop());

  it('prove a payment and are acknowledged', async () => {
    const order = await site.openOrder({ description: '充值 1 + 1 %2B "中文"' });
    await site.sandbox.act(order.paymentId, 'pay');
    const [delivery] = await site.notifications(order);
    const { reference, paid_at } = await site.sandbox.order(order.paymentId);
    expect(delivery?.outcome).toEqual({
      about: 'payment',
      paymentId: order.paymentId,
      state: {
        status: 'paid',
        proof: {
          reference,
          amountMinor: 12_345n,
          currency: 'CNY',
          paidAt: new Date(Math.floor(Date.parse(paid_at!) / 1_000) * 1_000),
          payer: { name: null, email: null },
        },
      },
    });
    expect(await site.deliveries(order)).toMatchObject([
      { status: 200, body: 'success', acknowledged: true },
    ]);
  });

  it.each([
    ['fail', 'failed'],
    ['expire', 'expired'],
  ] as const)('report an order that was not paid (%s)', async (action, status) => {
    const order = await site.openOrder();
    await site.sandbox.act(order.paymentId, action);
    const [delivery] = await site.notifications(order);
    expect(delivery?.outcome).toMatchObject({
      about: 'payment',
      paymentId: order.paymentId,
      state: { status },
    });
  });

  it('report the payment and an event after a partial refund, and only an event after a full one', async () => {
    const order = await site.payOrder();
    const [paid] = await site.notifications(order, 1);
    expect(paid?.outcome).not.toHaveProperty('event');
    await site.provider.refund(await site.refundOf(order, { amountMinor: 1n }));
    const [, partly] = await site.notifications(order, 2);
    expect(partly?.outcome).toMatchObject({
      about: 'payment',
      state: { status: 'paid', proof: { amountMinor: 12_345n } },
      event: { kind: 'refund', payment: { id: order.paymentId }, refundedMinor: 1n },
    });
    await site.provider.refund(await site.refundOf(order, { amountMinor: 12_344n }));
    const [, , wholly] = await site.notifications(order, 3);
    expect(wholly?.outcome).toMatchObject({
      about: 'event',
      event: { kind: 'refund', payment: { id: order.paymentId }, refundedMinor: 12_345n },
    });
  });

  it.each([
    ['wrong_signature', 'signature'],
    ['old_timestamp', 'signature'],
    ['future_timestamp', 'signature'],
    ['wrong_merchant', 'merchant'],
  ] as const)('are rejected with a %s and sent again', async (name, reason) => {
    await site.sandbox.injectFaults({ [name]: 1 });
    const order = await site.payOrder();
    const [refused, genuine] = await site.notifications(order, 2);
    expect(refused?.outcome).toBeInstanceOf(InvalidNotificationError);
    expect(refused?.outcome).toMatchObject({ reason });
    expect(genuine?.outcome).toMatchObject({ state: { status: 'paid' } });
    expect(await site.deliveries(order, 2)).toMatchObject([
      { faults: [name], status: 400, body: 'failure', acknowledged: false },
      { faults: [], status: 200, body: 'success', acknowledged: true },
    ]);
  });

  it.each([
    ['wrong_amount', { amountMinor: 12_346n, currency: 'CNY' }],
    ['wrong_currency', { amountMinor: 12_345n, currency: 'USD' }],
  ] as const)('pass on a signed %s unchanged', async (name, proof) => {
    await site.sandbox.injectFaults({ [name]: true });
    const order = await site.payOrder();
    const [delivery] = await site.notifications(order);
    expect(delivery?.outcome).toMatchObject({ state: { status: 'paid', proof } });
  });

  it('report a payment that arrived after the close', async () => {
    await site.sandbox.injectFaults({ paid_after_expiry: true });
    const order = await site.openOrder();
    await site.provider.close(order);
    await site.notifications(order, 1);
    await site.sandbox.act(order.paymentId, 'pay');
    const [closed, paid] = await site.notifications(order, 2);
    expect(closed?.outcome).toMatchObject({ state: { status: 'expired' } });
    expect(paid?.outcome).toMatchObject({ state: { status: 'paid' } });
    expect(await site.provider.query(order)).toMatchObject({ status: 'paid' });
  });
});
