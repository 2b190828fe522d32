import { configFaults, configWith, expectRefusal } from '../testing/console-config.fixture';

const cn = { SITE: 'cn' };
const issuer = {
  INVOICE_ISSUER_URL: 'https://issuer.test/invoices',
  INVOICE_ISSUER_TOKEN: 'token-0123456789',
};

describe('invoices configuration', () => {
  it('has no issuer by default', () => {
    expect(configWith().invoices).toEqual({ issuer: null });
  });

  it('holds the issuer', () => {
    expect(configWith({ ...cn, ...issuer }).invoices).toEqual({
      issuer: { url: issuer.INVOICE_ISSUER_URL, token: issuer.INVOICE_ISSUER_TOKEN },
    });
  });

  it.each([
    ['INVOICE_ISSUER_URL', 'ftp://issuer.test', 'http'],
    ['INVOICE_ISSUER_TOKEN', 'short', 'at least 16'],
  ])('refuses %s=%s', (name, value, message) => {
    expectRefusal({ ...cn, ...issuer, [name]: value }, name, message);
  });

  it('needs both variables of the issuer and is for the China site only', () => {
    expect(configFaults({ ...cn, ...issuer })).toEqual([]);
    expect(configFaults({ ...cn, ...issuer, INVOICE_ISSUER_TOKEN: '' })).toEqual([
      'INVOICE_ISSUER_TOKEN: is missing beside INVOICE_ISSUER_URL',
    ]);
    expect(configFaults({ ...cn, ...issuer, INVOICE_ISSUER_URL: '' })).toEqual([
      'INVOICE_ISSUER_URL: is missing beside INVOICE_ISSUER_TOKEN',
    ]);
    expect(configFaults(issuer)).toEqual([
      'INVOICE_ISSUER_URL: is for the site cn only',
      'INVOICE_ISSUER_TOKEN: is for the site cn only',
    ]);
  });
});
