import fc from 'fast-check';
import { rememberSecret } from '@inference/testing';
import { type RawNotification } from '../payment-provider';
import { completed, verdictOf } from './stripe-events.fixture';
import { NotificationInbox, StripeSandbox } from './stripe.fixture';
import { StripeProvider } from './stripe-provider';

let stripe: StripeSandbox;
let inbox: NotificationInbox;

beforeAll(async () => {
  [stripe, inbox] = await Promise.all([StripeSandbox.start(), NotificationInbox.start()]);
  await stripe.sandbox.deliverTo(inbox.origin);
});
afterAll(() => Promise.all([stripe.sandbox.kill(), inbox.stop()]));

/** The result of a notification about a payment. */
async function paidNotification(): Promise<RawNotification> {
  const { order } = await stripe.payOrder();
  return inbox.take(order.paymentId);
}

describe('signature', () => {
  it('is rejected if made with another secret', async () => {
    const secret = 'whsec_0123456789abcdef0123456789abcdef';
    rememberSecret(secret);
    const forged = stripe.signed(completed(), { secret });
    expect(await verdictOf(stripe.provider.verify(forged))).toBe('signature');
    expect(await verdictOf(stripe.provider.verify(stripe.signed(completed())))).toBe('accepted: payment');
  });

  it('is accepted with both secrets during a rotation', async () => {
    const [now] = stripe.config.webhookSecrets;
    const next = 'whsec_fedcba9876543210fedcba9876543210';
    rememberSecret(next);
    const raw = await paidNotification();
    const rotating = (webhookSecrets: string[]) => new StripeProvider({ ...stripe.config, webhookSecrets });
    expect(await verdictOf(rotating([next, now!]).verify(raw))).toBe('accepted: payment');
    expect(await verdictOf(rotating([now!, next]).verify(raw))).toBe('accepted: payment');
    expect(await verdictOf(rotating([next]).verify(raw))).toBe('signature');
  });

  it.each([
    ['280 s old', 280, 'accepted: payment'],
    ['320 s old', 320, 'signature'],
    ['280 s ahead', -280, 'accepted: payment'],
    ['320 s ahead', -320, 'signature'],
    ['a year ahead', -31_536_000, 'signature'],
  ])('depends on its timestamp: %s', async (_, secondsAgo, expected) => {
    expect(await verdictOf(stripe.provider.verify(stripe.signed(completed(), { secondsAgo })))).toBe(
      expected,
    );
  });

  it('is rejected in any other header format', async () => {
    const { headers, body } = stripe.signed(completed());
    const good = headers['stripe-signature'] as string;
    const [time, scheme] = good.split(',') as [string, string];
    const others = [
      undefined,
      '',
      time,
      scheme,
      `t=,${scheme}`,
      `t=now,${scheme}`,
      `${time}.5,${scheme}`,
      `${time},${scheme.replace('v1', 'v0')}`,
      `${good},t=9999999999`,
      `t=1,${good}`,
      [good, good],
    ];
    for (const header of others) {
      const raw = { headers: { 'stripe-signature': header as string }, body };
      expect(await verdictOf(stripe.provider.verify(raw))).toBe('signature');
    }
    expect(await verdictOf(stripe.provider.verify({ headers: { 'stripe-signature': good }, body }))).toBe(
      'accepted: payment',
    );
  });

  it('covers every byte of the body', async () => {
    const raw = await paidNotification();
    const changes = fc.tuple(fc.nat(raw.body.length - 1), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(changes, async ([index, mask]) => {
        const body = Buffer.from(raw.body);
        body[index]! ^= mask;
        expect(await verdictOf(stripe.provider.verify({ ...raw, body }))).toMatch(/^(signature|malformed)$/);
      }),
      { numRuns: 300 },
    );
    expect(await verdictOf(stripe.provider.verify(raw))).toBe('accepted: payment');
  });

  it('covers additions before, after and in the body', async () => {
    const raw = await paidNotification();
    const additions = fc.tuple(fc.nat(raw.body.length), fc.uint8Array({ minLength: 1, maxLength: 8 }));
    await fc.assert(
      fc.asyncProperty(additions, async ([index, bytes]) => {
        const body = Buffer.concat([raw.body.subarray(0, index), bytes, raw.body.subarray(index)]);
        expect(await verdictOf(stripe.provider.verify({ ...raw, body }))).toMatch(/^(signature|malformed)$/);
      }),
      { numRuns: 300 },
    );
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), raw.body]);
    expect(await verdictOf(stripe.provider.verify({ ...raw, body: marked }))).toBe('signature');
  });

  it('covers bytes that are not valid text', async () => {
    const replaced = completed({ customer_details: { name: '\ufffd', email: null } });
    const { headers, body } = stripe.signed(replaced);
    const at = body.indexOf(Buffer.from('\ufffd'));
    const invalid = Buffer.concat([body.subarray(0, at), Buffer.from([0xff]), body.subarray(at + 3)]);
    expect(await verdictOf(stripe.provider.verify({ headers, body: invalid }))).toBe('malformed');
    expect(await verdictOf(stripe.provider.verify({ headers, body }))).toBe('accepted: payment');
  });
});

describe('merchant', () => {
  it.each([
    ['sk_test_', false, 'accepted: payment'],
    ['sk_test_', true, 'merchant'],
    ['sk_live_', true, 'accepted: payment'],
    ['sk_live_', false, 'merchant'],
    ['rk_live_', false, 'merchant'],
    ['rk_test_', false, 'accepted: payment'],
  ])('with a key %s… and an event with livemode %s: %s', async (prefix, livemode, expected) => {
    const provider = new StripeProvider({ ...stripe.config, secretKey: `${prefix}0123456789abcdef` });
    const raw = stripe.signed({ ...completed(), livemode });
    expect(await verdictOf(provider.verify(raw))).toBe(expected);
  });

  it('is rejected for a connected account', async () => {
    const raw = stripe.signed({ ...completed(), account: 'acct_1' });
    expect(await verdictOf(stripe.provider.verify(raw))).toBe('merchant');
  });
});
