import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { rememberEnvironment, waitFor } from '@inference/testing';
import Stripe from 'stripe';
import { SandboxPayments } from '../sandbox-payments';

const UNIT_AMOUNT = 2_000;
const now = () => Math.floor(Date.now() / 1_000);

interface Received {
  body: string;
  signature: string;
}

let sandbox: SandboxPayments;
let stripe: Stripe;
let webhookSecret: string;
let merchant: Server;
const received: Received[] = [];
/** The status that the merchant answers with. */
let answerStatus = 200;
let orders = 0;

const clientFor = (secretKey: string) => {
  const { hostname, port } = new URL(sandbox.url);
  return new Stripe(secretKey, { host: hostname, port, protocol: 'http', telemetry: false });
};

beforeAll(async () => {
  sandbox = await SandboxPayments.start({ site: 'intl' });
  const environment = sandbox.consoleEnvironment();
  rememberEnvironment(environment);
  stripe = clientFor(environment.STRIPE_SECRET_KEY!);
  webhookSecret = environment.STRIPE_WEBHOOK_SECRETS!;
  merchant = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      received.push({ body, signature: String(request.headers['stripe-signature']) });
      response.writeHead(answerStatus).end();
    });
  });
  await new Promise<void>((resolve) => merchant.listen(0, '127.0.0.1', resolve));
  await sandbox.deliverTo(`http://127.0.0.1:${(merchant.address() as AddressInfo).port}`);
});
beforeEach(() => {
  answerStatus = 200;
});
afterAll(async () => {
  await sandbox.kill();
  merchant.close();
  merchant.closeAllConnections();
});

const parameters = (
  change: Partial<Stripe.Checkout.SessionCreateParams> = {},
): Stripe.Checkout.SessionCreateParams => ({
  mode: 'payment',
  client_reference_id: `order_${(orders += 1)}`,
  metadata: { colour: 'blue' },
  payment_intent_data: { metadata: { colour: 'red' } },
  line_items: [
    {
      quantity: 1,
      price_data: { currency: 'usd', unit_amount: UNIT_AMOUNT, product_data: { name: 'A thing' } },
    },
  ],
  success_url: 'https://shop.example.com/done',
  ...change,
});
const create = (
  change: Partial<Stripe.Checkout.SessionCreateParams> = {},
  options: Stripe.RequestOptions = {},
) => stripe.checkout.sessions.create(parameters(change), options);

async function paid(): Promise<{ id: string; intent: string }> {
  const { id, client_reference_id: order } = await create();
  const { reference } = await sandbox.act(order!, 'pay', { name: 'Ada', email: 'ada@example.com' });
  return { id, intent: reference };
}

describe('a session', () => {
  it('is open for a day by default', async () => {
    const session = await create();
    expect(session).toMatchObject({
      object: 'checkout.session',
      amount_total: UNIT_AMOUNT,
      currency: 'usd',
      customer_details: null,
      livemode: false,
      metadata: { colour: 'blue' },
      payment_intent: null,
      payment_status: 'unpaid',
      status: 'open',
      url: `${sandbox.url}/orders/${session.client_reference_id}`,
    });
    expect(session.expires_at - session.created).toBeGreaterThanOrEqual(86_399);
    expect(session.lastResponse.requestId).toMatch(/^req_/);
  });

  it('is complete after the payment', async () => {
    const { id, intent } = await paid();
    const session = await stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent.latest_charge'] });
    expect(session).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      url: null,
      customer_details: { name: 'Ada', email: 'ada@example.com' },
      payment_intent: {
        id: intent,
        status: 'succeeded',
        amount_received: UNIT_AMOUNT,
        metadata: { colour: 'red' },
        latest_charge: { object: 'charge', paid: true, amount: UNIT_AMOUNT, payment_intent: intent },
      },
    });
    expect((await stripe.checkout.sessions.retrieve(id)).payment_intent).toBe(intent);
    expect(await stripe.paymentIntents.retrieve(intent)).toMatchObject({ status: 'succeeded' });
  });

  it('creates another one for each request without an idempotency key', async () => {
    const wanted = parameters();
    const [first, second] = [
      await stripe.checkout.sessions.create(wanted),
      await stripe.checkout.sessions.create(wanted),
    ];
    expect(second.id).not.toBe(first.id);
    expect(second.client_reference_id).toBe(first.client_reference_id);
    await sandbox.act(second.id, 'pay');
    expect(await stripe.checkout.sessions.retrieve(second.id)).toMatchObject({ payment_status: 'paid' });
    expect(await stripe.checkout.sessions.retrieve(first.id)).toMatchObject({ payment_status: 'unpaid' });
  });

  it('is expired once', async () => {
    const { id } = await create();
    expect(await stripe.checkout.sessions.expire(id)).toMatchObject({ status: 'expired', url: null });
    await expect(stripe.checkout.sessions.expire(id)).rejects.toThrow(
      'Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of `expired`.',
    );
  });

  it.each([
    ['sooner than in 30 minutes', 1_700],
    ['later than in a day', 86_500],
  ])('does not end %s', async (_, seconds) => {
    const created = create({ expires_at: now() + seconds });
    await expect(created).rejects.toMatchObject({ statusCode: 400, param: 'expires_at' });
  });

  it.each([
    [{ success_url: undefined }, 'success_url', 'parameter_missing'],
    [{ line_items: undefined }, 'line_items', 'parameter_missing'],
    [{ colour: 'blue' }, 'colour', 'parameter_unknown'],
    [
      { line_items: [{ quantity: 1, price_data: { currency: 'usd', product_data: { name: 'x' } } }] },
      'line_items[0][price_data][unit_amount]',
      'parameter_missing',
    ],
    [{ payment_intent_data: { colour: 'blue' } }, 'payment_intent_data[colour]', 'parameter_unknown'],
  ])('is checked: %j', async (change, param, code) => {
    const created = create(change as object);
    await expect(created).rejects.toMatchObject({ type: 'StripeInvalidRequestError', param, code });
  });
});

describe('an idempotency key', () => {
  it('gives the first answer again', async () => {
    const wanted = parameters();
    const options = { idempotencyKey: 'key-1' };
    const first = await stripe.checkout.sessions.create(wanted, options);
    await stripe.checkout.sessions.expire(first.id);
    const again = await stripe.checkout.sessions.create(wanted, options);
    expect(again).toEqual(first);
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(first.lastResponse.headers['idempotent-replayed']).toBeUndefined();
  });

  it('is for one request only', async () => {
    await create({}, { idempotencyKey: 'key-2' });
    await expect(create({}, { idempotencyKey: 'key-2' })).rejects.toMatchObject({
      type: 'StripeIdempotencyError',
      statusCode: 400,
    });
  });

  it('keeps an idempotency key usable after a request that fails validation', async () => {
    const options = { idempotencyKey: 'key-3' };
    await expect(create({ expires_at: now() + 60 }, options)).rejects.toThrow('at least 30 minutes');
    await expect(create({}, options)).resolves.toMatchObject({ status: 'open' });
  });
});

describe('a refund', () => {
  it('creates another one for each request without an idempotency key', async () => {
    const { intent } = await paid();
    const wanted = { payment_intent: intent, amount: 300, metadata: { refund_id: 'same' } };
    const first = await stripe.refunds.create(wanted);
    const second = await stripe.refunds.create(wanted);
    expect(second.id).not.toBe(first.id);
    const listed = await stripe.refunds
      .list({ payment_intent: intent, limit: 1 })
      .autoPagingToArray({ limit: 10 });
    expect(listed.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(listed[1]!.metadata).toEqual({ refund_id: 'same' });
    expect(await stripe.refunds.retrieve(first.id)).toMatchObject({ status: 'succeeded', amount: 300 });
  });

  it('refunds the rest without an amount, and refuses more than the rest', async () => {
    const { intent } = await paid();
    await stripe.refunds.create({ payment_intent: intent, amount: 300 });
    const tooMuch = stripe.refunds.create({ payment_intent: intent, amount: UNIT_AMOUNT });
    await expect(tooMuch).rejects.toMatchObject({ param: 'amount' });
    expect(await stripe.refunds.create({ payment_intent: intent })).toMatchObject({
      amount: UNIT_AMOUNT - 300,
    });
    const another = stripe.refunds.create({ payment_intent: intent });
    await expect(another).rejects.toMatchObject({ code: 'charge_already_refunded' });
  });
});

it('knows its merchant by the key', async () => {
  const stranger = clientFor('sk_test_0123456789abcdef');
  await expect(stranger.refunds.retrieve('re_1')).rejects.toMatchObject({
    type: 'StripeAuthenticationError',
    statusCode: 401,
  });
});

it.each([
  ['a session', () => stripe.checkout.sessions.retrieve('cs_1')],
  ['a payment intent', () => stripe.paymentIntents.retrieve('pi_1')],
  ['a refund', () => stripe.refunds.retrieve('re_1')],
  ['the refunds of a payment intent', () => stripe.refunds.list({ payment_intent: 'pi_1' })],
])('does not have %s that was never made', async (_, find) => {
  await expect(find()).rejects.toMatchObject({ statusCode: 404, code: 'resource_missing' });
});

it('has only some of the API', async () => {
  await expect(stripe.customers.list()).rejects.toMatchObject({ statusCode: 404 });
});

describe('an event', () => {
  /** Waits for `count` events about this object. Events about other objects may still arrive. */
  const arrived = (id: string, count: number) =>
    waitFor(() => {
      const about = received.filter(({ body }) => body.includes(id));
      return about.length >= count ? about : null;
    });
  const read = ({ body, signature }: Received) =>
    stripe.webhooks.constructEvent(body, signature, webhookSecret);

  it('is signed, and contains the object as the API returns it', async () => {
    const { id } = await paid();
    const event = read((await arrived(id, 1))[0]!);
    expect(event).toMatchObject({ object: 'event', type: 'checkout.session.completed', livemode: false });
    expect(event.data.object).toEqual({ ...(await stripe.checkout.sessions.retrieve(id)) });
  });

  it('is the same one when it is sent again', async () => {
    answerStatus = 500;
    const { id } = await paid();
    const [first, second] = await arrived(id, 2);
    expect(read(second!)).toEqual(read(first!));
  });

  it('tells of a refund', async () => {
    const { intent } = await paid();
    const refund = await stripe.refunds.create({ payment_intent: intent });
    const event = read((await arrived(refund.id, 1))[0]!);
    expect(event).toMatchObject({
      type: 'refund.created',
      data: { object: { id: refund.id, object: 'refund' } },
    });
  });

  it.each([
    ['fail', 'checkout.session.async_payment_failed', 'complete'],
    ['expire', 'checkout.session.expired', 'expired'],
  ] as const)('tells of one that was made to %s', async (action, type, status) => {
    const { id, client_reference_id: order } = await create();
    await sandbox.act(order!, action);
    const event = read((await arrived(id, 1))[0]!);
    expect(event).toMatchObject({ type, data: { object: { status, payment_status: 'unpaid' } } });
  });
});
