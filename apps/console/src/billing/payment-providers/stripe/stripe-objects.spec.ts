import { ProviderUnavailableError } from '../payment-provider';
import { newOrder, ScriptedStripe } from './stripe.fixture';

const SESSION = '/v1/checkout/sessions/cs_test_1';

describe('Stripe objects that the sandbox does not produce', () => {
  let scripted: ScriptedStripe;
  const order = newOrder({ providerOrderId: 'cs_test_1' });
  const session = (change: object) => ({
    id: 'cs_test_1',
    object: 'checkout.session',
    created: 1_800_000_000,
    status: 'complete',
    payment_status: 'unpaid',
    amount_total: 2_000,
    currency: 'usd',
    payment_intent: intent('processing'),
    customer_details: null,
    metadata: { payment_id: order.paymentId },
    ...change,
  });
  const intent = (status: string, change: object = {}) => ({
    id: 'pi_1',
    status,
    created: 1_800_000_100,
    latest_charge: null,
    last_payment_error: null,
    ...change,
  });
  const query = (change: object) => {
    scripted.answers = { [`GET ${SESSION}`]: { body: session(change) } };
    return scripted.provider().query(order);
  };

  beforeAll(async () => (scripted = await ScriptedStripe.start()));
  afterAll(() => scripted.stop());

  it.each([
    ['processing', { status: 'open' }],
    ['requires_action', { status: 'open' }],
    ['canceled', { status: 'failed', reason: 'canceled' }],
    ['requires_payment_method', { status: 'failed', reason: 'requires_payment_method' }],
  ])('maps a completed session whose payment is %s', async (status, expected) => {
    expect(await query({ payment_intent: intent(status) })).toEqual(expected);
  });

  it('does not count a session without a required payment as paid', async () => {
    expect(await query({ payment_status: 'no_payment_required', payment_intent: null })).toEqual({
      status: 'failed',
      reason: 'no_payment_required',
    });
  });

  it("passes on an amount and currency that differ from the order's", async () => {
    const paid = { payment_status: 'paid', amount_total: 1, currency: 'jpy' };
    expect(await query({ ...paid, payment_intent: intent('succeeded') })).toMatchObject({
      proof: { amountMinor: 1n, currency: 'JPY', paidAt: new Date(1_800_000_100_000) },
    });
  });

  it('uses the time of the charge as the time of the payment', async () => {
    const latest_charge = { id: 'ch_1', created: 1_800_000_200 };
    const paid = { payment_status: 'paid', payment_intent: intent('succeeded', { latest_charge }) };
    expect(await query(paid)).toMatchObject({ proof: { paidAt: new Date(1_800_000_200_000) } });
  });

  it.each([
    ['paid without a payment', { payment_status: 'paid', payment_intent: null }],
    ['paid without an amount', { payment_status: 'paid', amount_total: null }],
    ['an amount that is no whole number', { amount_total: 0.5 }],
    ['a status that there is not', { status: 'done' }],
    ['another object', { object: 'payment_intent' }],
  ])('%s throws ProviderUnavailableError', async (_, change) => {
    await expect(query(change)).rejects.toThrow(
      "Stripe's answer to a query of a session has an unexpected form.",
    );
  });

  it.each(['null', '[]', '"text"', '{}', ''])('%s throws ProviderUnavailableError', async (body) => {
    scripted.answers = { [`GET ${SESSION}`]: { body } };
    await expect(scripted.provider().query(order)).rejects.toThrow(ProviderUnavailableError);
  });

  it('an unreadable error throws ProviderUnavailableError', async () => {
    scripted.answers = { [`GET ${SESSION}`]: { status: 400, body: { error: 5 } } };
    const unreadable = "Stripe's answer to a query of a session cannot be read.";
    await expect(scripted.provider().query(order)).rejects.toThrow(unreadable);
  });

  it('closing an order that is being paid throws ProviderUnavailableError', async () => {
    const error = {
      type: 'invalid_request_error',
      message: 'Only Checkout Sessions with a status in ["open"]',
    };
    scripted.answers = {
      [`POST ${SESSION}/expire`]: { status: 400, body: { error } },
      [`GET ${SESSION}`]: { body: session({}) },
    };
    await expect(scripted.provider().close(order)).rejects.toThrow(ProviderUnavailableError);
  });

  describe('refund', () => {
    const refundOrder = {
      refundId: 'ref_000001',
      order,
      paymentReference: 'pi_1',
      amountMinor: 5n,
      reason: null,
    };
    const refund = (status: string | null, change: object = {}) => ({
      id: 're_1',
      object: 'refund',
      status,
      metadata: { refund_id: 'ref_000001' },
      ...change,
    });
    const list = (...data: object[]) => ({
      'GET /v1/refunds': { body: { object: 'list', data, has_more: false, url: '/v1/refunds' } },
    });
    const ask = () => scripted.provider().refund(refundOrder);

    it.each([
      ['pending', { status: 'pending', reference: 're_1' }],
      ['requires_action', { status: 'pending', reference: 're_1' }],
      [null, { status: 'pending', reference: 're_1' }],
      ['succeeded', { status: 'succeeded', reference: 're_1' }],
      ['failed', { status: 'failed', reason: 'failed' }],
      ['canceled', { status: 'failed', reason: 'canceled' }],
    ])('maps the status %s', async (status, expected) => {
      scripted.answers = { ...list(), 'POST /v1/refunds': { body: refund(status) } };
      expect(await ask()).toEqual(expected);
      scripted.answers = list(refund('succeeded', { metadata: {} }), refund(status));
      expect(await ask()).toEqual(expected);
    });

    it('uses its id as idempotency key, so that concurrent requests make one refund', async () => {
      scripted.answers = { ...list(), 'POST /v1/refunds': { body: refund('pending') } };
      scripted.keys = [];
      await Promise.all([ask(), ask()]);
      expect(scripted.keys).toEqual(['ref_000001', 'ref_000001']);
    });

    it("fails with Stripe's reason", async () => {
      scripted.answers = list(refund('failed', { failure_reason: 'expired_or_canceled_card' }));
      expect(await ask()).toEqual({ status: 'failed', reason: 'expired_or_canceled_card' });
    });

    it.each([
      ['refunds that are not shown', 'GET', 404, 'resource_missing'],
      ['a key that was used for something else', 'POST', 400, undefined],
    ])('%s throws ProviderUnavailableError, since a refund may exist', async (_, method, status, code) => {
      const error = { type: code ? 'invalid_request_error' : 'idempotency_error', code, message: 'No.' };
      scripted.answers = { ...list(), [`${method} /v1/refunds`]: { status, body: { error } } };
      await expect(ask()).rejects.toThrow(ProviderUnavailableError);
    });
  });
});
