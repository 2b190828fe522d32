import { type SignedIn } from '../../testing/console.fixture';
import { PaymentSite, PROVIDERS, SHOP } from './payments.fixture';

describe.each(PROVIDERS)('the request of a top-up through %s', (provider, siteName) => {
  let payments: PaymentSite;
  let account: SignedIn;
  const [currency, otherCurrency] = siteName === 'intl' ? ['USD', 'CNY'] : ['CNY', 'USD'];
  beforeAll(async () => {
    payments = await PaymentSite.start(siteName);
    account = await payments.site.signedIn();
  });
  afterAll(() => payments.stop());

  it.each([
    [{ amount: 0 }, 'amount'],
    [{ amount: -20 }, 'amount'],
    [{ amount: 4.99 }, 'amount'],
    [{ amount: 50_000.01 }, 'amount'],
    [{ amount: 20.001 }, 'amount'],
    [{ amount: '20' }, 'amount'],
    [{ amount: 20.000_000_000_000_004 }, 'amount'],
    // The form of a number that a double cannot hold, in a body that is parsed without loss.
    [{ amount: { isLosslessNumber: true, value: '20' } }, 'amount'],
    [{ amount: null }, 'amount'],
    [{ amount: undefined }, 'amount'],
    // A number that a double does not hold exactly is refused before the fields are looked at.
    [{ amount: 1e300 }, 'amount: is too large'],
    [{ provider: 'paypal' }, 'provider'],
    [{ provider: undefined }, 'provider'],
    [{ return_url: 'javascript:alert(1)' }, 'return_url'],
    [{ return_url: '/back' }, 'return_url'],
    [{ return_url: `https://a.test/${'x'.repeat(2000)}` }, 'return_url'],
    [{ return_url: `${SHOP}/${'\u00e9'.repeat(400)}` }, 'return_url'],
    [{ return_url: 'https://a.test/\0' }, 'return_url'],
    [{ return_url: 'https://other.test/back' }, 'return_url'],
    [{ return_url: `http://shop.test/back` }, 'return_url'],
    [{ return_url: `${SHOP}.evil.test/` }, 'return_url'],
    [{ return_url: `${SHOP}@evil.test/` }, 'return_url'],
    [{ return_url: `${SHOP}:8443/` }, 'return_url'],
    [{ currency: otherCurrency }, `currency: must be ${currency}`],
    [{ currency: currency.toLowerCase() }, 'currency: must be one of USD, CNY'],
    [{ currency: 'EUR' }, 'currency: must be one of USD, CNY'],
    [{ currency: '' }, 'currency'],
    [{ currency: null }, 'currency'],
    [{ currency: [currency] }, 'currency'],
  ])('answers 400 for %j', async (change, field) => {
    const answer = await payments.create(account, { provider, amount: 20, ...change });
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(field) }]);
  });

  it.each(['4.999999999999999999', '20.000000000000000001'])(
    'answers 400 for the amount %s, which a double would round to an allowed one',
    async (amount) => {
      const answer = await payments.site.console.request('POST', '/api/billing/payments', {
        token: account.token,
        raw: `{"provider":"${provider}","amount":${amount}}`,
      });
      const error = 'amount: must not have more digits than can be processed exactly';
      expect([answer.status, answer.body]).toEqual([400, { error }]);
    },
  );

  it.each(['http://console.test/back', `${SHOP.toUpperCase()}/back`])(
    'returns the payer to %s, whose origin is allowed',
    async (return_url) => {
      expect((await payments.create(account, { provider, amount: 20, return_url })).status).toBe(201);
    },
  );

  it.each([[''], ['x'.repeat(256)], ['a\tb']])('answers 400 for the idempotency key %j', async (key) => {
    expect(
      (await payments.create(account, { provider, amount: 20 }, { 'Idempotency-Key': key })).status,
    ).toBe(400);
  });
});
