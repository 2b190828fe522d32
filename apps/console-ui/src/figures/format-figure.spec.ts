import fc from 'fast-check';
import { Figure } from './figure';
import { formatShortAmount, formatAmountAndCurrency, formatNumber, formatAmount } from './format-figure';

const amount = (text: string, currency: 'USD' | 'CNY' = 'USD', language = 'en') =>
  formatShortAmount(Figure.of(text), currency, language);

describe('a shortened amount', () => {
  it.each([
    ['0', '$0.00'],
    ['1234567.123456789012', '≈ $1,234,567.12'],
    ['-12.5', '-$12.50'],
    ['0.5', '$0.50'],
    ['0.01234', '$0.01234'],
    ['0.00001', '$0.00001'],
    ['0.000009', '< $0.00001'],
    ['-0.000000000001', '> -$0.00001'],
    ['0.012345', '≈ $0.01234'],
    ['0.999999', '≈ $1.00'],
    ['-3.001', '≈ -$3.00'],
  ])('%s is read as %s', (text, shown) => {
    expect(amount(text)).toBe(shown);
  });

  it('has the sign of its own currency in every language', () => {
    expect([amount('5', 'CNY', 'en'), amount('5', 'CNY', 'zh-CN')]).toEqual(['¥5.00', '¥5.00']);
    expect([amount('5', 'USD', 'en'), amount('5', 'USD', 'zh-CN')]).toEqual(['$5.00', '$5.00']);
  });

  it('is exact beside what is read', () => {
    const figure = Figure.of('1234567.123456789012');
    expect(formatAmountAndCurrency(figure, 'USD', 'en')).toBe('$1,234,567.123456789012 USD');
    expect(formatAmount(Figure.of('0.1'), 'CNY', 'zh-CN')).toBe('¥0.10');
  });

  it('keeps every digit of any amount, in both languages', () => {
    const picos = fc.bigInt({ min: 0n, max: 10n ** 30n });
    fc.assert(
      fc.property(picos, fc.constantFrom('en', 'zh-CN'), (digits, language) => {
        const figure = Figure.of(digits).dividedByTenTo(12);
        const shown = formatAmountAndCurrency(figure, 'USD', language).replace(/[^\d.]/g, '');
        expect(Figure.of(shown).equals(figure)).toBe(true);
      }),
    );
  });
});

it('groups the digits of a number', () => {
  expect(formatNumber(Figure.of('9007199254740993'), 'en')).toBe('9,007,199,254,740,993');
});
