import { configFaults, configWith, expectRefusal } from '../testing/console-config.fixture';

describe('documents configuration', () => {
  it('defaults to the site as the seller and to no taxes', () => {
    expect(configWith({ SITE_NAME: 'Example' }).documents).toEqual({
      seller: { name: 'Example' },
      taxRates: [],
    });
  });

  it('holds the seller and the taxes', () => {
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
    const { documents } = configWith({
      SITE: 'cn',
      SELLER: JSON.stringify(seller),
      TAX_LINES: JSON.stringify(taxes),
    });
    expect(documents).toEqual({
      seller: { ...seller, name: '北京智算科技有限公司' },
      taxRates: taxes,
    });
    expect(configWith({ SITE_NAME: 'Example', SELLER: '{"phone":"1"}' }).documents.seller).toEqual({
      name: 'Example',
      phone: '1',
    });
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
  ])('refuses %s=%s', (name, value, message) => {
    expectRefusal({ SITE: 'cn', [name]: value }, name, message);
  });

  it('reports every fault at once, without secrets', () => {
    const faults = configFaults({
      SELLER: '{',
      TAX_LINES: '{',
      INVOICE_ISSUER_TOKEN: 'hunter2',
      MIN_TOPUP: '0',
    });
    for (const name of ['SELLER', 'TAX_LINES', 'INVOICE_ISSUER_TOKEN', 'MIN_TOPUP'])
      expect(faults.join('\n')).toContain(`${name}: `);
    expect(faults.join('\n')).not.toContain('hunter2');
  });
});
