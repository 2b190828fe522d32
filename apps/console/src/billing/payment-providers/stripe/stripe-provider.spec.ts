import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ProviderOrder, ProviderRefusedError } from '../payment-provider';
import { newOrder, StripeSandbox } from './stripe.fixture';

const IN_SECONDS = (seconds: number) => new Date(Date.now() + seconds * 1_000);

let folder: string;
let stripe: StripeSandbox;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stripe-'));
  stripe = await StripeSandbox.start(join(folder, 'orders.json'));
});
beforeEach(() => stripe.sandbox.injectFaults());
afterAll(async () => {
  await stripe.sandbox.kill();
  await rm(folder, { recursive: true });
});

describe('open', () => {
  it('opens a session and returns its page', async () => {
    const order = newOrder();
    const opened = await stripe.provider.open(order);
    expect(opened).toEqual({
      providerOrderId: expect.stringMatching(/^cs_test_\w+$/) as string,
      checkout: { type: 'redirect', url: `${stripe.sandbox.url}/orders/${order.paymentId}` },
    });
    expect(await stripe.sandbox.order(order.paymentId)).toMatchObject({
      status: 'open',
      amount_minor: 2_000,
      currency: 'USD',
      description: 'Inference Platform',
    });
  });

  it('ends the session with the order', async () => {
    const order = newOrder({ expiresAt: IN_SECONDS(7_200) });
    await stripe.provider.open(order);
    const { expires_at } = await stripe.sandbox.order(order.paymentId);
    expect(Date.parse(expires_at)).toBe(Math.floor(order.expiresAt.getTime() / 1_000) * 1_000);
  });

  it('returns the same checkout again', async () => {
    const order = newOrder();
    const opened = await stripe.provider.open(order);
    expect(await stripe.provider.open({ ...order })).toEqual(opened);
  });

  it('returns the same checkout after it was paid', async () => {
    const order = newOrder();
    const opened = await stripe.provider.open(order);
    await stripe.sandbox.act(order.paymentId, 'pay');
    expect(await stripe.provider.open(order)).toEqual(opened);
  });

  it('uses the payment id as idempotency key', async () => {
    const order = newOrder();
    await stripe.provider.open(order);
    const another = stripe.provider.open({ ...order, amountMinor: 3_000n });
    await expect(another).rejects.toThrow('Stripe refuses the opening of a session: 400 idempotency_error.');
  });

  it.each([
    ['too soon', 60],
    ['too late', 100_000],
  ])('opens an order that ends %s for Stripe, with the same session each time', async (_, seconds) => {
    const order = newOrder({ expiresAt: IN_SECONDS(seconds) });
    const opened = await stripe.provider.open(order);
    expect(await stripe.provider.open(order)).toEqual(opened);
    expect(await stripe.provider.query({ ...order, ...opened })).toEqual({ status: 'open' });
  });

  it("throws Stripe's reason for a refusal", async () => {
    const refused = stripe.provider.open(newOrder({ amountMinor: 1n }));
    await expect(refused).rejects.toThrow(ProviderRefusedError);
    await expect(refused).rejects.toThrow('Stripe refuses the opening of a session: 400 amount_too_small.');
  });
});

describe('query', () => {
  it('reports an open order', async () => {
    expect(await stripe.provider.query(await stripe.openOrder())).toEqual({ status: 'open' });
  });

  it('proves amount, payer and time of a payment', async () => {
    const before = Math.floor(Date.now() / 1_000) * 1_000;
    const order = await stripe.openOrder({ amountMinor: 123_456n });
    const payer = { name: '王小明', email: 'ming@example.com' };
    const { reference } = await stripe.sandbox.act(order.paymentId, 'pay', payer);
    const state = await stripe.provider.query(order);
    expect(state).toEqual({
      status: 'paid',
      proof: {
        reference,
        amountMinor: 123_456n,
        currency: 'USD',
        paidAt: expect.any(Date) as Date,
        payer,
      },
    });
    expect(reference).toMatch(/^pi_/);
    const { paidAt } = (state as Extract<typeof state, { status: 'paid' }>).proof;
    expect(paidAt.getTime()).toBeGreaterThanOrEqual(before);
    expect(paidAt.getTime()).toBeLessThanOrEqual(Date.now());
  });

  it('has no payer if Stripe names none', async () => {
    const { order } = await stripe.payOrder();
    expect(await stripe.provider.query(order)).toMatchObject({
      proof: { payer: { name: null, email: null } },
    });
  });

  it('reports a failed order with its reason', async () => {
    const order = await stripe.openOrder();
    await stripe.sandbox.act(order.paymentId, 'fail');
    expect(await stripe.provider.query(order)).toEqual({ status: 'failed', reason: 'card_declined' });
  });

  it('reports an expired order', async () => {
    const order = await stripe.openOrder();
    await stripe.sandbox.act(order.paymentId, 'expire');
    expect(await stripe.provider.query(order)).toEqual({ status: 'expired' });
  });

  it('reports a payment that arrived after the expiry', async () => {
    const order = await stripe.openOrder();
    await stripe.sandbox.act(order.paymentId, 'expire');
    await stripe.sandbox.injectFaults({ paid_after_expiry: true });
    await stripe.sandbox.act(order.paymentId, 'pay');
    expect(await stripe.provider.query(order)).toMatchObject({ status: 'paid' });
  });

  it('reports an unknown session and a missing session id as absent', async () => {
    const order = newOrder({ providerOrderId: 'cs_test_unknown' });
    expect(await stripe.provider.query(order)).toEqual({ status: 'absent' });
    expect(await stripe.provider.query(newOrder())).toEqual({ status: 'absent' });
  });

  it('refuses the session of another payment', async () => {
    const { order } = await stripe.payOrder();
    const mistaken = { ...newOrder(), providerOrderId: order.providerOrderId };
    await expect(stripe.provider.query(mistaken)).rejects.toThrow(ProviderRefusedError);
  });
});

describe('close', () => {
  const cannotBePaid = async ({ paymentId }: ProviderOrder) => {
    await expect(stripe.sandbox.act(paymentId, 'pay')).rejects.toThrow('409');
  };

  it('expires an open order', async () => {
    const order = await stripe.openOrder();
    expect(await stripe.provider.close(order)).toEqual({ status: 'expired' });
    await cannotBePaid(order);
  });

  it('is idempotent', async () => {
    const order = await stripe.openOrder();
    await stripe.provider.close(order);
    expect(await stripe.provider.close(order)).toEqual({ status: 'expired' });
  });

  it('proves that the order was paid before', async () => {
    const { order, reference } = await stripe.payOrder();
    expect(await stripe.provider.close(order)).toMatchObject({ status: 'paid', proof: { reference } });
  });

  it('reports that the order failed or expired before', async () => {
    const failed = await stripe.openOrder();
    await stripe.sandbox.act(failed.paymentId, 'fail');
    expect(await stripe.provider.close(failed)).toEqual({ status: 'failed', reason: 'card_declined' });
    const expired = await stripe.openOrder();
    await stripe.sandbox.act(expired.paymentId, 'expire');
    expect(await stripe.provider.close(expired)).toEqual({ status: 'expired' });
  });

  it('finds and expires a session whose open response was lost', async () => {
    const order = await stripe.openOrder();
    expect(await stripe.provider.close({ ...order, providerOrderId: null })).toEqual({ status: 'expired' });
    await cannotBePaid(order);
  });

  it('proves the payment of a session whose open response was lost', async () => {
    const { order } = await stripe.payOrder();
    const state = await stripe.provider.close({ ...order, providerOrderId: null });
    expect(state).toMatchObject({ status: 'paid' });
  });

  it('leaves no payable session of an order that was never opened', async () => {
    const order = newOrder({ expiresAt: IN_SECONDS(-1) });
    expect(await stripe.provider.close(order)).toEqual({ status: 'expired' });
    await cannotBePaid(order);
  });

  it('reports an order that Stripe refuses or does not know as absent', async () => {
    expect(await stripe.provider.close(newOrder({ amountMinor: 1n }))).toEqual({ status: 'absent' });
    const unknown = newOrder({ providerOrderId: 'cs_test_unknown' });
    expect(await stripe.provider.close(unknown)).toEqual({ status: 'absent' });
  });
});

describe('refund', () => {
  const refundsOf = async ({ paymentId }: ProviderOrder) => (await stripe.sandbox.order(paymentId)).refunds;

  it('makes a refund', async () => {
    const payment = await stripe.payOrder();
    const refund = stripe.refundOf(payment, 500n);
    const state = await stripe.provider.refund(refund);
    const reference = expect.stringMatching(/^re_/) as string;
    expect(state).toEqual({ status: 'succeeded', reference });
    expect(await refundsOf(payment.order)).toMatchObject([{ id: refund.refundId, amount_minor: 500 }]);
  });

  it('makes one refund for repeated requests', async () => {
    const payment = await stripe.payOrder();
    const refund = stripe.refundOf(payment, 500n);
    const first = await stripe.provider.refund(refund);
    expect(await stripe.provider.refund(refund)).toEqual(first);
    expect(await refundsOf(payment.order)).toHaveLength(1);
  });

  it('makes one refund after the idempotency key has expired at Stripe', async () => {
    const payment = await stripe.payOrder();
    const refund = stripe.refundOf(payment, 500n);
    const first = await stripe.provider.refund(refund);
    await stripe.sandbox.kill();
    await stripe.sandbox.restart();
    expect(await stripe.provider.refund(refund)).toEqual(first);
    expect(await refundsOf(payment.order)).toHaveLength(1);
  });

  it('fails when everything was refunded already', async () => {
    const payment = await stripe.payOrder();
    await stripe.provider.refund(stripe.refundOf(payment));
    expect(await stripe.provider.refund(stripe.refundOf(payment))).toEqual({
      status: 'failed',
      reason: 'charge_already_refunded',
    });
  });

  it('fails when less is left', async () => {
    const payment = await stripe.payOrder();
    await stripe.provider.refund(stripe.refundOf(payment, 1_500n));
    expect(await stripe.provider.refund(stripe.refundOf(payment, 501n))).toEqual({
      status: 'failed',
      reason: 'invalid_request_error',
    });
  });
});

describe('acknowledge and reject', () => {
  it('answers as Stripe expects', () => {
    expect(stripe.provider.acknowledge()).toEqual({
      status: 200,
      contentType: 'application/json',
      body: '{"received":true}',
    });
    expect(stripe.provider.reject(400, 'a "reason"')).toEqual({
      status: 400,
      contentType: 'application/json',
      body: '{"error":"a \\"reason\\""}',
    });
  });
});
