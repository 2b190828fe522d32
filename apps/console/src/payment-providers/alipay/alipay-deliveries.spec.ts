import { NotificationRefusal } from '../payment-provider';
import { AlipaySandbox } from './alipay.fixture';

describe("Alipay's notifications", () => {
  let site: AlipaySandbox;

  beforeAll(async () => {
    site = await AlipaySandbox.start();
  });
  afterEach(() => site.sandbox.tell());
  afterAll(() => site?.stop());

  it('of a payment prove it, and are acknowledged', async () => {
    const order = await site.opened({ description: '充值 1 + 1 %2B "中文"' });
    await site.sandbox.act(order.paymentId, 'pay');
    const [told] = await site.notifications(order);
    const { reference, paid_at } = await site.sandbox.order(order.paymentId);
    expect(told?.outcome).toEqual({
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
  ] as const)('of what was not paid (%s) say so', async (action, status) => {
    const order = await site.opened();
    await site.sandbox.act(order.paymentId, action);
    const [told] = await site.notifications(order);
    expect(told?.outcome).toMatchObject({ about: 'payment', paymentId: order.paymentId, state: { status } });
  });

  it('of a refund say nothing but that there was a payment', async () => {
    const order = await site.paid();
    await site.notifications(order, 1);
    await site.provider.refund(await site.refundOf(order, { amountMinor: 1n }));
    const [, partly] = await site.notifications(order, 2);
    expect(partly?.outcome).toMatchObject({ state: { status: 'paid', proof: { amountMinor: 12_345n } } });
    await site.provider.refund(await site.refundOf(order, { amountMinor: 12_344n }));
    const [, , wholly] = await site.notifications(order, 3);
    expect(wholly?.outcome).toEqual({ about: 'nothing' });
  });

  it.each([
    ['wrong_signature', 'signature'],
    ['old_timestamp', 'signature'],
    ['future_timestamp', 'signature'],
    ['wrong_merchant', 'merchant'],
  ] as const)('with a %s are refused, and sent again', async (name, fault) => {
    await site.sandbox.tell({ [name]: 1 });
    const order = await site.paid();
    const [refused, genuine] = await site.notifications(order, 2);
    expect(refused?.outcome).toBeInstanceOf(NotificationRefusal);
    expect(refused?.outcome).toMatchObject({ fault });
    expect(genuine?.outcome).toMatchObject({ state: { status: 'paid' } });
    expect(await site.deliveries(order, 2)).toMatchObject([
      { faults: [name], status: 400, body: 'failure', acknowledged: false },
      { faults: [], status: 200, body: 'success', acknowledged: true },
    ]);
  });

  it.each([
    ['wrong_amount', { amountMinor: 12_346n, currency: 'CNY' }],
    ['wrong_currency', { amountMinor: 12_345n, currency: 'USD' }],
  ] as const)('with a %s tell it as it is signed', async (name, proof) => {
    await site.sandbox.tell({ [name]: true });
    const order = await site.paid();
    const [told] = await site.notifications(order);
    expect(told?.outcome).toMatchObject({ state: { status: 'paid', proof } });
  });

  it('tell of what was paid after it was closed', async () => {
    await site.sandbox.tell({ paid_after_expiry: true });
    const order = await site.opened();
    await site.provider.close(order);
    await site.notifications(order, 1);
    await site.sandbox.act(order.paymentId, 'pay');
    const [closed, paid] = await site.notifications(order, 2);
    expect(closed?.outcome).toMatchObject({ state: { status: 'expired' } });
    expect(paid?.outcome).toMatchObject({ state: { status: 'paid' } });
    expect(await site.provider.query(order)).toMatchObject({ status: 'paid' });
  });
});
