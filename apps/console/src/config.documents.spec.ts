import { ConfigError } from '@inference/config';
import { readConsoleConfig } from './config';
import { testEnvironment } from './console.fixture';

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

describe('the configuration of documents', () => {
  it('may be left out: then the site sells, prices include no tax, and nobody issues invoices', () => {
    expect(readConsoleConfig({ ...environment, SITE_NAME: 'Example' }).documents).toEqual({
      seller: { name: 'Example' },
      taxRates: [],
      issuer: null,
    });
  });

  it('tells the seller, the taxes and the issuer', () => {
    const seller = {
      name: ' 北京智算科技有限公司 ',
      tax_id: '91110108MA01ABCD2X',
      bank: '中国工商银行',
      bank_account: '0200',
    };
    const taxes = [
      { name: '增值税', percent: '6' },
      { name: '附加', percent: '0.1234' },
    ];
    const { documents } = readConsoleConfig({
      ...environment,
      ...cn,
      ...issuer,
      SELLER: JSON.stringify(seller),
      TAX_LINES: JSON.stringify(taxes),
    });
    expect(documents).toEqual({
      seller: { ...seller, name: '北京智算科技有限公司' },
      taxRates: taxes,
      issuer: { url: issuer.INVOICE_ISSUER_URL, token: issuer.INVOICE_ISSUER_TOKEN },
    });
    expect(
      readConsoleConfig({ ...environment, SITE_NAME: 'Example', SELLER: '{"phone":"1"}' }).documents.seller,
    ).toEqual({ name: 'Example', phone: '1' });
  });

  it.each([
    ['SELLER', 'Example', 'must be valid JSON'],
    ['SELLER', '[]', 'must be an object'],
    ['SELLER', '{"name":""}', 'must not be empty'],
    ['SELLER', '{"name":7}', 'must be a text'],
    ['SELLER', '{"address":"a\\nb"}', 'control characters'],
    ['SELLER', '{"name":"\\ud800"}', 'control characters'],
    ['SELLER', JSON.stringify({ name: 'x'.repeat(201) }), 'at most 200'],
    ['SELLER', '{"vat":"1"}', 'vat'],
    ['TAX_LINES', '{}', 'must be an array'],
    ['TAX_LINES', '[{"name":"VAT"}]', 'percent'],
    ['TAX_LINES', '[{"name":"VAT","percent":6}]', 'decimal text'],
    ['TAX_LINES', '[{"name":"VAT","percent":"6%"}]', 'finite decimal'],
    ['TAX_LINES', '[{"name":"VAT","percent":"-1"}]', 'from 0 to 100'],
    ['TAX_LINES', '[{"name":"VAT","percent":"100.0001"}]', 'from 0 to 100'],
    ['TAX_LINES', '[{"name":"VAT","percent":"1e1"}]', 'from 0 to 100'],
    ['TAX_LINES', '[{"name":"VAT","percent":"7.12345"}]', 'more than 4 decimals'],
    ['TAX_LINES', JSON.stringify(Array(11).fill({ name: 'VAT', percent: '1' })), 'at most 10'],
    ['INVOICE_ISSUER_URL', 'ftp://issuer.test', 'http'],
    ['INVOICE_ISSUER_TOKEN', 'short', 'at least 16'],
  ])('refuses %s=%s', (name, value, fault) => {
    const faults = faultsOf({ ...cn, ...issuer, [name]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(new RegExp(`^${name}\\b.*${fault}`));
  });

  it('has an issuer with both its variables, and on the China site only', () => {
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

  it('names every fault at once, and no secret', () => {
    const faults = faultsOf({ SELLER: '{', TAX_LINES: '{', INVOICE_ISSUER_TOKEN: 'hunter2', MIN_TOPUP: '0' });
    for (const name of ['SELLER', 'TAX_LINES', 'INVOICE_ISSUER_TOKEN', 'MIN_TOPUP'])
      expect(faults.join('\n')).toContain(`${name}: `);
    expect(faults.join('\n')).not.toContain('hunter2');
  });
});
