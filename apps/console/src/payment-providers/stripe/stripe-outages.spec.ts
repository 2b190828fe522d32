import { createServer } from 'node:http';
import { ProviderRefusal, ProviderUnavailable } from '../payment-provider';
import { newOrder, ScriptedStripe, StripeSandbox } from './stripe.fixture';
import { StripeProvider } from './stripe-provider';

const SHORT_MILLIS = 400;

let stripe: StripeSandbox;
let scripted: ScriptedStripe;

beforeAll(async () => {
  [stripe, scripted] = await Promise.all([StripeSandbox.start(), ScriptedStripe.start()]);
});
beforeEach(() => stripe.sandbox.tell());
afterAll(() => Promise.all([stripe.sandbox.kill(), scripted.stop()]));

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => {
      throw new Error('It should have failed.');
    },
    (error: Error) => error,
  );

describe.each([500, 429, 409, 'hang', 'lost', 'garbage', 'unsigned'] as const)('%s', (fault) => {
  it('is no answer to anything that is asked', async () => {
    const provider = new StripeProvider(
      stripe.config,
      fault === 'hang' ? { timeLimitMillis: SHORT_MILLIS } : {},
    );
    const [order, open, payment] = await Promise.all([newOrder(), stripe.opened(), stripe.paid()]);
    const another = await stripe.opened();
    await stripe.sandbox.tell({ api: { open: fault, query: fault, close: fault, refund: fault } });
    const failures = await Promise.all([
      failureOf(provider.open(order)),
      failureOf(provider.query(open)),
      failureOf(provider.close(another)),
      failureOf(provider.refund(stripe.refundOf(payment))),
    ]);
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(ProviderUnavailable);
      expect(failure.message).toMatch(/^Stripe('s answer to| does not answer) (the|a) [a-z ]+/);
    }
  });
});

describe('what was lost on the way', () => {
  it('is opened again as the same session', async () => {
    const order = newOrder();
    await stripe.sandbox.tell({ api: { open: 'lost' } });
    await failureOf(stripe.provider.open(order));
    await stripe.sandbox.tell();
    const opened = await stripe.provider.open(order);
    const { url } = stripe.sandbox;
    expect(opened.checkout.url).toBe(`${url}/orders/${order.paymentId}`);
    expect(await stripe.provider.query({ ...order, ...opened })).toEqual({ status: 'open' });
  });

  it('is closed', async () => {
    const order = await stripe.opened();
    await stripe.sandbox.tell({ api: { close: 'lost' } });
    await failureOf(stripe.provider.close(order));
    await stripe.sandbox.tell();
    expect(await stripe.provider.close(order)).toEqual({ status: 'expired' });
  });

  it('is refunded once', async () => {
    const payment = await stripe.paid();
    const refund = stripe.refundOf(payment, 500n);
    await stripe.sandbox.tell({ api: { refund: 'lost' } });
    expect(await failureOf(stripe.provider.refund(refund))).toBeInstanceOf(ProviderUnavailable);
    await stripe.sandbox.tell();
    const { refunds } = await stripe.sandbox.order(payment.order.paymentId);
    expect(refunds).toHaveLength(1);
    const reference = refunds[0]!.reference;
    expect(await stripe.provider.refund(refund)).toEqual({ status: 'succeeded', reference });
  });
});

describe('a refusal', () => {
  it('is one when Stripe says no', async () => {
    await stripe.sandbox.tell({ api: { open: 400 } });
    const failure = await failureOf(stripe.provider.open(newOrder()));
    expect(failure).toBeInstanceOf(ProviderRefusal);
    expect(failure.message).toBe('Stripe refuses the opening of a session: 400 invalid_request_error.');
  });

  it('is one when Stripe does not take the order without an end of its own either', async () => {
    const error = { type: 'invalid_request_error', param: 'expires_at', message: 'Not so.' };
    scripted.answers = { 'POST /v1/checkout/sessions': { status: 400, body: { error } } };
    scripted.keys = [];
    const order = newOrder();
    expect(await failureOf(scripted.provider().open(order))).toBeInstanceOf(ProviderRefusal);
    expect(scripted.keys).toEqual([order.paymentId, `${order.paymentId}-open-end`]);
  });

  it.each([401, 403])('is none when Stripe does not know who asks (%i)', async (status) => {
    await stripe.sandbox.tell({ api: { open: status } });
    expect(await failureOf(stripe.provider.open(newOrder()))).toBeInstanceOf(ProviderUnavailable);
  });

  it('shows no key', async () => {
    const secretKey = `${stripe.config.secretKey}x`;
    const stranger = new StripeProvider({ ...stripe.config, secretKey });
    const failure = await failureOf(stranger.open(newOrder()));
    expect(failure.message).toBe(
      'Stripe does not answer the opening of a session: 401 invalid_request_error.',
    );
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(
      secretKey.slice(0, 16),
    );
    expect(failure.cause).toBeUndefined();
  });

  it('quotes nothing of what Stripe says but its code', async () => {
    const provider = scripted.provider();
    const body = {
      error: { type: 'card_error', code: 'Drop "this" whsec_abc', message: 'Bearer sk_live_abc' },
    };
    scripted.answers = { 'POST /v1/checkout/sessions': { status: 402, body } };
    const failure = await failureOf(provider.open(newOrder()));
    expect(failure.message).toBe('Stripe refuses the opening of a session: 402 card_error.');
  });
});

describe('the time limit', () => {
  it('holds for a call in all, however long its answer keeps coming', async () => {
    const slow = newOrder({ providerOrderId: 'cs_test_slow' });
    const trickle = await trickling();
    const config = { ...stripe.config, apiUrl: trickle.origin };
    const provider = new StripeProvider(config, { timeLimitMillis: SHORT_MILLIS });
    const failure = await failureOf(provider.query(slow));
    trickle.stop();
    expect(failure).toBeInstanceOf(ProviderUnavailable);
    expect(failure.message).toMatch(/^Stripe does not answer a query of a session/);
  });

  it('is not waited for when nobody listens', async () => {
    const provider = new StripeProvider({ ...stripe.config, apiUrl: 'http://127.0.0.1:9' });
    const failure = await failureOf(provider.open(newOrder()));
    expect(failure).toBeInstanceOf(ProviderUnavailable);
    expect(failure.message).toBe('Stripe does not answer the opening of a session: ECONNREFUSED.');
  });
});

const SESSION = '/v1/checkout/sessions/cs_test_1';

describe('states that the sandbox never shows', () => {
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

  it.each([
    ['processing', { status: 'open' }],
    ['requires_action', { status: 'open' }],
    ['canceled', { status: 'failed', reason: 'canceled' }],
    ['requires_payment_method', { status: 'failed', reason: 'requires_payment_method' }],
  ])('a completed session whose payment is %s', async (status, expected) => {
    expect(await query({ payment_intent: intent(status) })).toEqual(expected);
  });

  it('a session for which nothing had to be paid is no proof of money', async () => {
    expect(await query({ payment_status: 'no_payment_required', payment_intent: null })).toEqual({
      status: 'failed',
      reason: 'no_payment_required',
    });
  });

  it('an amount and a currency that are not those of the order are told as they are', async () => {
    const paid = { payment_status: 'paid', amount_total: 1, currency: 'jpy' };
    expect(await query({ ...paid, payment_intent: intent('succeeded') })).toMatchObject({
      proof: { amountMinor: 1n, currency: 'JPY', paidAt: new Date(1_800_000_100_000) },
    });
  });

  it('the time of the charge is when it was paid', async () => {
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
  ])('%s is no answer', async (_, change) => {
    await expect(query(change)).rejects.toThrow(
      "Stripe's answer to a query of a session is not what it should be.",
    );
  });

  it.each(['null', '[]', '"text"', '{}', ''])('%s is no answer', async (body) => {
    scripted.answers = { [`GET ${SESSION}`]: { body } };
    await expect(scripted.provider().query(order)).rejects.toThrow(ProviderUnavailable);
  });

  it('an error that the library cannot read is no answer', async () => {
    scripted.answers = { [`GET ${SESSION}`]: { status: 400, body: { error: 5 } } };
    const unreadable = "Stripe's answer to a query of a session cannot be read.";
    await expect(scripted.provider().query(order)).rejects.toThrow(unreadable);
  });

  it('an order that is being paid cannot be closed now', async () => {
    const error = {
      type: 'invalid_request_error',
      message: 'Only Checkout Sessions with a status in ["open"]',
    };
    scripted.answers = {
      [`POST ${SESSION}/expire`]: { status: 400, body: { error } },
      [`GET ${SESSION}`]: { body: session({}) },
    };
    await expect(scripted.provider().close(order)).rejects.toThrow(ProviderUnavailable);
  });

  describe('of a refund', () => {
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
    ])('%s', async (status, expected) => {
      scripted.answers = { ...list(), 'POST /v1/refunds': { body: refund(status) } };
      expect(await ask()).toEqual(expected);
      scripted.answers = list(refund('succeeded', { metadata: {} }), refund(status));
      expect(await ask()).toEqual(expected);
    });

    it('is asked for under its own name, so that two at once are one', async () => {
      scripted.answers = { ...list(), 'POST /v1/refunds': { body: refund('pending') } };
      scripted.keys = [];
      await Promise.all([ask(), ask()]);
      expect(scripted.keys).toEqual(['ref_000001', 'ref_000001']);
    });

    it('failed, and why', async () => {
      scripted.answers = list(refund('failed', { failure_reason: 'expired_or_canceled_card' }));
      expect(await ask()).toEqual({ status: 'failed', reason: 'expired_or_canceled_card' });
    });

    it.each([
      ['refunds that are not shown', 'GET', 404, 'resource_missing'],
      ['a key that was used for something else', 'POST', 400, undefined],
    ])('%s are no proof that none was made', async (_, method, status, code) => {
      const error = { type: code ? 'invalid_request_error' : 'idempotency_error', code, message: 'No.' };
      scripted.answers = { ...list(), [`${method} /v1/refunds`]: { status, body: { error } } };
      await expect(ask()).rejects.toThrow(ProviderUnavailable);
    });
  });
});

/** A server that sends a byte now and then, so that the connection is never idle. */
async function trickling(): Promise<{ origin: string; stop: () => void }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 20);
    response.once('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    origin: `http://127.0.0.1:${port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
