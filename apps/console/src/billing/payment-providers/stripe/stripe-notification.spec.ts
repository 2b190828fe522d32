import fc from 'fast-check';
import { rememberSecret } from '@inference/testing';
import { completed, eventOf, verdictOf, session } from './stripe-events.fixture';
import { NotificationInbox, StripeSandbox } from './stripe.fixture';

let stripe: StripeSandbox;
let inbox: NotificationInbox;

beforeAll(async () => {
  [stripe, inbox] = await Promise.all([StripeSandbox.start(), NotificationInbox.start()]);
  await stripe.sandbox.deliverTo(inbox.origin);
});
beforeEach(() => stripe.sandbox.injectFaults());
afterAll(() => Promise.all([stripe.sandbox.kill(), inbox.stop()]));

describe('notification of the sandbox', () => {
  it('proves a payment', async () => {
    const payer = { name: 'Ada Lovelace', email: 'ada@example.com' };
    const order = await stripe.openOrder();
    const { reference } = await stripe.sandbox.act(order.paymentId, 'pay', payer);
    expect(await stripe.provider.verify(await inbox.take(order.paymentId))).toEqual({
      about: 'payment',
      paymentId: order.paymentId,
      state: {
        status: 'paid',
        proof: {
          reference,
          amountMinor: 2_000n,
          currency: 'USD',
          paidAt: expect.any(Date) as Date,
          payer,
        },
      },
    });
  });

  it('states the same as the API', async () => {
    const { order } = await stripe.payOrder();
    const { state } = (await stripe.provider.verify(await inbox.take(order.paymentId))) as { state: unknown };
    expect(state).toEqual(await stripe.provider.query(order));
  });

  it.each([
    ['fail', { status: 'failed', reason: 'async_payment_failed' }],
    ['expire', { status: 'expired' }],
  ] as const)('reports an order after %s', async (action, state) => {
    const { paymentId } = await stripe.openOrder();
    await stripe.sandbox.act(paymentId, action);
    const verified = await stripe.provider.verify(await inbox.take(paymentId));
    expect(verified).toEqual({ about: 'payment', paymentId, state });
  });

  it('reports a closed order', async () => {
    const order = await stripe.openOrder();
    await stripe.provider.close(order);
    expect(await stripe.provider.verify(await inbox.take(order.paymentId))).toMatchObject({
      state: { status: 'expired' },
    });
  });

  it('proves a payment after the end of the order', async () => {
    const { paymentId } = await stripe.openOrder();
    await stripe.sandbox.act(paymentId, 'expire');
    await inbox.take(paymentId);
    await stripe.sandbox.injectFaults({ paid_after_expiry: true });
    await stripe.sandbox.act(paymentId, 'pay');
    const verified = await stripe.provider.verify(await inbox.take(paymentId));
    expect(verified).toMatchObject({ paymentId, state: { status: 'paid' } });
  });

  it('reports a refund', async () => {
    const payment = await stripe.payOrder();
    const refund = stripe.refundOf(payment);
    await stripe.provider.refund(refund);
    const verified = await stripe.provider.verify(await inbox.take(refund.refundId));
    expect(verified).toMatchObject({ about: 'refund', refundId: refund.refundId });
  });

  it.each([
    ['wrong_signature', 'signature'],
    ['old_timestamp', 'signature'],
    ['future_timestamp', 'signature'],
    ['wrong_merchant', 'merchant'],
  ])('is rejected with %s', async (fault, expected) => {
    await stripe.sandbox.injectFaults({ [fault]: true });
    const { order } = await stripe.payOrder();
    const raw = await inbox.take(order.paymentId);
    expect(await verdictOf(stripe.provider.verify(raw))).toBe(expected);
  });

  it.each([
    ['wrong_amount', { amountMinor: 2_001n, currency: 'USD' }],
    ['wrong_currency', { amountMinor: 2_000n, currency: 'EUR' }],
  ])('passes on a signed %s unchanged', async (fault, proof) => {
    await stripe.sandbox.injectFaults({ [fault]: true });
    const { order } = await stripe.payOrder();
    const raw = await inbox.take(order.paymentId);
    expect(await stripe.provider.verify(raw)).toMatchObject({ state: { status: 'paid', proof } });
  });
});

describe('event', () => {
  const verify = (event: unknown) => stripe.provider.verify(stripe.signed(event));
  const stateOf = async (event: unknown) => ((await verify(event)) as { state: unknown }).state;
  const UNPAID = { payment_status: 'unpaid' };

  it('completed but unpaid reports an open order', async () => {
    expect(await stateOf(completed(UNPAID))).toEqual({ status: 'open' });
  });

  it('an event of an asynchronous payment proves the payment at the time of the event', async () => {
    const event = eventOf('checkout.session.async_payment_succeeded', session());
    expect(await stateOf(event)).toMatchObject({
      status: 'paid',
      proof: { reference: 'pi_1', paidAt: new Date(1_800_000_300_000) },
    });
  });

  it('proves a payment whatever its type', async () => {
    const event = eventOf('checkout.session.expired', session());
    expect(await stateOf(event)).toMatchObject({ status: 'paid' });
  });

  it.each(['refund.created', 'refund.updated', 'refund.failed', 'charge.refund.updated'])(
    '%s reports a refund',
    async (type) => {
      const refund = {
        id: 're_1',
        object: 'refund',
        status: 'failed',
        metadata: { refund_id: 'ref_000001' },
      };
      expect(await verify(eventOf(type, refund))).toMatchObject({
        about: 'refund',
        refundId: 'ref_000001',
        event: { type, kind: 'refund' },
      });
    },
  );

  it.each([
    ['about a step of a payment', eventOf('payment_intent.created', { id: 'pi_1' })],
    ['about a charge that succeeded', eventOf('charge.succeeded', { id: 'ch_1' })],
    ["about somebody else's session", completed({ metadata: { order: '17' } })],
    ['about a session without metadata', completed({ metadata: null, client_reference_id: 'pay_000001' })],
    ['about a session with an id that is none of ours', completed({ metadata: { payment_id: "x' OR 1" } })],
    ["about somebody else's session of another shape", eventOf('checkout.session.completed', { id: 'cs_1' })],
  ])('%s is irrelevant', async (_, event) => {
    expect(await verify(event)).toEqual({ about: 'nothing' });
  });

  it.each([
    ['of another kind', 'other', eventOf('customer.created', { id: 'cus_1' })],
    ['of a kind that does not exist yet', 'other', eventOf('checkout.session.reborn', session())],
    ['about a refund made at Stripe', 'refund', eventOf('refund.updated', { id: 're_1', metadata: {} })],
    ['about all refunds of a charge', 'refund', eventOf('charge.refunded', { payment_intent: 'pi_9' })],
    ['about a dispute', 'dispute', eventOf('charge.dispute.closed', { payment_intent: { id: 'pi_9' } })],
  ])('%s is for a person', async (_, kind, event) => {
    expect(await verify(event)).toMatchObject({ about: 'event', event: { eventId: 'evt_1', kind } });
  });

  it.each([
    ['no JSON', '{"object": "event"'],
    ['no object', '"event"'],
    ['null', 'null'],
    ['a thin event', { ...completed(), object: 'v2.core.event' }],
    ['another object', { ...completed(), object: 'charge' }],
    ['without a mode', { ...completed(), livemode: undefined }],
    ['without data', { ...completed(), data: undefined }],
    ['without a time', { ...completed(), created: undefined }],
    ['of another object', completed({ object: 'payment_intent' })],
    ['with an amount that is no whole number', completed({ amount_total: 20.5 })],
    ['with an amount in words', completed({ amount_total: '2000' })],
    ['paid without an amount', completed({ amount_total: null })],
    ['paid without a currency', completed({ currency: null })],
    ['paid without a payment', completed({ payment_intent: null })],
    ['with a payment status that there is not', completed({ payment_status: 'PAID' })],
  ])('%s is malformed', async (_, event) => {
    expect(await verdictOf(stripe.provider.verify(stripe.signed(event)))).toBe('malformed');
  });

  it('accepts an event of any shape, or throws InvalidNotificationError', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.jsonValue(), async (json, value) => {
        expect(await verdictOf(stripe.provider.verify(stripe.signed(json)))).toBe('malformed');
        const object = { ...session(), ...(value as object) };
        expect(await verdictOf(verify(completed(object)))).toMatch(
          /^(accepted: (payment|nothing)|malformed)$/,
        );
      }),
    );
  });

  it('is not quoted in an error', async () => {
    const secret = 'whsec_0000aaaa1111bbbb2222cccc3333dddd';
    rememberSecret(secret);
    for (const raw of [
      stripe.signed(completed(), { secret }),
      stripe.signed('{"card": "4242"'),
      stripe.signed(completed({ currency: 4242 })),
    ])
      await stripe.provider.verify(raw).catch((error: Error) => {
        expect(error.message).not.toMatch(/4242|whsec|v1=|pay_/);
        expect(error.cause).toBeUndefined();
      });
    expect.assertions(6);
  });
});
