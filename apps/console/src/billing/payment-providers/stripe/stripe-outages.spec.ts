import { createServer } from 'node:http';
import { ProviderRefusedError, ProviderUnavailableError } from '../payment-provider';
import { newOrder, ScriptedStripe, StripeSandbox } from './stripe.fixture';
import { StripeProvider } from './stripe-provider';

const SHORT_MILLIS = 400;

let stripe: StripeSandbox;
let scripted: ScriptedStripe;

beforeAll(async () => {
  [stripe, scripted] = await Promise.all([StripeSandbox.start(), ScriptedStripe.start()]);
});
beforeEach(() => stripe.sandbox.injectFaults());
afterAll(() => Promise.all([stripe.sandbox.kill(), scripted.stop()]));

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => {
      throw new Error('It should have failed.');
    },
    (error: Error) => error,
  );

describe.each([500, 429, 409, 'hang', 'lost', 'garbage', 'unsigned'] as const)('%s', (fault) => {
  it('throws ProviderUnavailableError from every call', async () => {
    const provider = new StripeProvider(
      stripe.config,
      fault === 'hang' ? { timeLimitMillis: SHORT_MILLIS } : {},
    );
    const [order, open, payment] = await Promise.all([newOrder(), stripe.openOrder(), stripe.payOrder()]);
    const another = await stripe.openOrder();
    await stripe.sandbox.injectFaults({ api: { open: fault, query: fault, close: fault, refund: fault } });
    const failures = await Promise.all([
      failureOf(provider.open(order)),
      failureOf(provider.query(open)),
      failureOf(provider.close(another)),
      failureOf(provider.refund(stripe.refundOf(payment))),
    ]);
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(ProviderUnavailableError);
      expect(failure.message).toMatch(/^Stripe('s answer to| does not answer) (the|a) [a-z ]+/);
    }
  });
});

describe('an order whose open response was lost', () => {
  it('is opened again as the same session', async () => {
    const order = newOrder();
    await stripe.sandbox.injectFaults({ api: { open: 'lost' } });
    await failureOf(stripe.provider.open(order));
    await stripe.sandbox.injectFaults();
    const opened = await stripe.provider.open(order);
    const { url } = stripe.sandbox;
    expect(opened.checkout.url).toBe(`${url}/orders/${order.paymentId}`);
    expect(await stripe.provider.query({ ...order, ...opened })).toEqual({ status: 'open' });
  });

  it('is closed', async () => {
    const order = await stripe.openOrder();
    await stripe.sandbox.injectFaults({ api: { close: 'lost' } });
    await failureOf(stripe.provider.close(order));
    await stripe.sandbox.injectFaults();
    expect(await stripe.provider.close(order)).toEqual({ status: 'expired' });
  });

  it('is refunded once', async () => {
    const payment = await stripe.payOrder();
    const refund = stripe.refundOf(payment, 500n);
    await stripe.sandbox.injectFaults({ api: { refund: 'lost' } });
    expect(await failureOf(stripe.provider.refund(refund))).toBeInstanceOf(ProviderUnavailableError);
    await stripe.sandbox.injectFaults();
    const { refunds } = await stripe.sandbox.order(payment.order.paymentId);
    expect(refunds).toHaveLength(1);
    const reference = refunds[0]!.reference;
    expect(await stripe.provider.refund(refund)).toEqual({ status: 'succeeded', reference });
  });
});

describe('ProviderRefusedError', () => {
  it('is thrown for a refusal of Stripe', async () => {
    await stripe.sandbox.injectFaults({ api: { open: 400 } });
    const failure = await failureOf(stripe.provider.open(newOrder()));
    expect(failure).toBeInstanceOf(ProviderRefusedError);
    expect(failure.message).toBe('Stripe refuses the opening of a session: 400 invalid_request_error.');
  });

  it('is thrown when Stripe refuses the session with and without expires_at', async () => {
    const error = { type: 'invalid_request_error', param: 'expires_at', message: 'Not so.' };
    scripted.answers = { 'POST /v1/checkout/sessions': { status: 400, body: { error } } };
    scripted.keys = [];
    const order = newOrder();
    expect(await failureOf(scripted.provider().open(order))).toBeInstanceOf(ProviderRefusedError);
    expect(scripted.keys).toEqual([order.paymentId, `${order.paymentId}-open-end`]);
  });

  it.each([401, 403])('is not thrown for refused credentials (%i)', async (status) => {
    await stripe.sandbox.injectFaults({ api: { open: status } });
    expect(await failureOf(stripe.provider.open(newOrder()))).toBeInstanceOf(ProviderUnavailableError);
  });

  it('contains no key', async () => {
    const secretKey = `${stripe.config.secretKey}x`;
    const otherAccount = new StripeProvider({ ...stripe.config, secretKey });
    const failure = await failureOf(otherAccount.open(newOrder()));
    expect(failure.message).toBe(
      'Stripe does not answer the opening of a session: 401 invalid_request_error.',
    );
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(
      secretKey.slice(0, 16),
    );
    expect(failure.cause).toBeUndefined();
  });

  it("quotes Stripe's code only", async () => {
    const provider = scripted.provider();
    const body = {
      error: { type: 'card_error', code: 'Drop "this" whsec_abc', message: 'Bearer sk_live_abc' },
    };
    scripted.answers = { 'POST /v1/checkout/sessions': { status: 402, body } };
    const failure = await failureOf(provider.open(newOrder()));
    expect(failure.message).toBe('Stripe refuses the opening of a session: 402 card_error.');
  });
});

describe('time limit', () => {
  it('covers the whole call even when the response arrives in pieces', async () => {
    const slow = newOrder({ providerOrderId: 'cs_test_slow' });
    const trickle = await trickling();
    const config = { ...stripe.config, apiUrl: trickle.origin };
    const provider = new StripeProvider(config, { timeLimitMillis: SHORT_MILLIS });
    const failure = await failureOf(provider.query(slow));
    trickle.stop();
    expect(failure).toBeInstanceOf(ProviderUnavailableError);
    expect(failure.message).toMatch(/^Stripe does not answer a query of a session/);
  });

  it('is not used up by a refused connection', async () => {
    const provider = new StripeProvider({ ...stripe.config, apiUrl: 'http://127.0.0.1:9' });
    const failure = await failureOf(provider.open(newOrder()));
    expect(failure).toBeInstanceOf(ProviderUnavailableError);
    expect(failure.message).toBe('Stripe does not answer the opening of a session: ECONNREFUSED.');
  });
});

/** A server that sends a byte from time to time, so that the connection is never idle. */
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
