import { formatDecimal } from './picos';

describe('formatDecimal', () => {
  it.each([
    ['0', '0.00'],
    ['0.05', '0.05'],
    ['19.9', '19.90'],
    ['999', '999.00'],
    ['-1000', '-1,000.00'],
    ['1234567.8', '1,234,567.80'],
    ['4.998812345678', '4.998812345678'],
  ])('formats %s as %s', (decimal, text) => expect(formatDecimal(decimal)).toBe(text));
});
