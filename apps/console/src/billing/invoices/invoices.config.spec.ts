import { ConfigError } from '@inference/config';
import { readConsoleConfig } from '../../config';
import { testEnvironment } from '../../testing/console.fixture';

const environment = testEnvironment('postgres://console@db.test/platform');
const cn = { SITE: 'cn' };
const issuer = {
  INVOICE_ISSUER_URL: 'https://issuer.test/invoices',
  INVOICE_ISSUER_TOKEN: 'token-0123456789',
};

function faultsOf(changes: Record<string, string>): string[] {
  try {
    readConsoleConfig({ ...environment, ...changes });
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('invoices configuration', () => {
  it('has no issuer by default', () => {
    expect(readConsoleConfig(environment).invoices).toEqual({ issuer: null });
  });

  it('holds the issuer', () => {
    expect(readConsoleConfig({ ...environment, ...cn, ...issuer }).invoices).toEqual({
      issuer: { url: issuer.INVOICE_ISSUER_URL, token: issuer.INVOICE_ISSUER_TOKEN },
    });
  });

  it.each([
    ['INVOICE_ISSUER_URL', 'ftp://issuer.test', 'http'],
    ['INVOICE_ISSUER_TOKEN', 'short', 'at least 16'],
  ])('refuses %s=%s', (name, value, fault) => {
    const faults = faultsOf({ ...cn, ...issuer, [name]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(new RegExp(`^${name}\\b.*${fault}`));
  });

  it('needs both variables of the issuer and is for the China site only', () => {
    expect(faultsOf({ ...cn, ...issuer })).toEqual([]);
    expect(faultsOf({ ...cn, ...issuer, INVOICE_ISSUER_TOKEN: '' })).toEqual([
      'INVOICE_ISSUER_TOKEN: is missing beside INVOICE_ISSUER_URL',
    ]);
    expect(faultsOf({ ...cn, ...issuer, INVOICE_ISSUER_URL: '' })).toEqual([
      'INVOICE_ISSUER_URL: is missing beside INVOICE_ISSUER_TOKEN',
    ]);
    expect(faultsOf(issuer)).toEqual([
      'INVOICE_ISSUER_URL: is for the site cn only',
      'INVOICE_ISSUER_TOKEN: is for the site cn only',
    ]);
  });
});
