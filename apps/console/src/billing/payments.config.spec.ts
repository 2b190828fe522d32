import { paymentsOf } from './billing.config';

const FIELDS = { PAYMENT_TTL_SECONDS: 3_600, RATE_LIMIT_MULTIPLIER: 1 };
const SITE = { consoleUrl: 'https://api.example.com/console', consoleUiUrl: 'https://www.example.com' };
const OWN = ['https://www.example.com', 'https://api.example.com'];

describe('the origins to which a payer may be sent back', () => {
  it.each([
    ['without CORS_ORIGINS', undefined, OWN],
    ['with CORS_ORIGINS', ['https://shop.example'], [...OWN, 'https://shop.example']],
    ['with CORS_ORIGINS of *', '*' as const, OWN],
  ])('%s', (_case, CORS_ORIGINS, expected) => {
    expect(paymentsOf({ ...FIELDS, CORS_ORIGINS }, SITE).returnOrigins).toEqual(expected);
  });

  it('are named once each', () => {
    const consoleUrl = 'https://console.example.com';
    const site = { consoleUrl, consoleUiUrl: `${consoleUrl}/ui` };
    const { returnOrigins } = paymentsOf({ ...FIELDS, CORS_ORIGINS: [consoleUrl] }, site);
    expect(returnOrigins).toEqual([consoleUrl]);
  });
});
