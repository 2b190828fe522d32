import { decimalToPicos, picosToDecimal } from '@inference/money';
import fc from 'fast-check';
import { formatAmountRoundedDown, formatExactAmount } from './mail-template';

const PICOS_PER_HUNDREDTH = 10n ** 10n;
const picosOf = (figure: string) => decimalToPicos(figure.replaceAll(',', ''));

describe('an amount in a mail', () => {
  it.each([
    ['20', '20.00'],
    ['19.9', '19.90'],
    ['19.99', '19.99'],
    ['0.05', '0.05'],
    ['4.998812345678', '4.998812345678'],
    ['999', '999.00'],
    ['1000', '1,000.00'],
    ['50000.5', '50,000.50'],
    ['9007199254740993.000001', '9,007,199,254,740,993.000001'],
  ])('formats %s as %s with all decimals', (decimal, figure) => {
    expect(formatExactAmount(decimal, 'USD')).toEqual({ figure, currency: 'USD', isRounded: false });
  });

  it.each([
    ['4.998812345678', '4.99', true],
    ['4.999999999999', '4.99', true],
    ['0.000000000001', '0.00', true],
    ['0', '0.00', false],
    ['4.99', '4.99', false],
    ['4', '4.00', false],
    ['1234.5678', '1,234.56', true],
  ])('formats %s as %s rounded down', (decimal, figure, isRounded) => {
    expect(formatAmountRoundedDown(decimal, 'CNY')).toEqual({ figure, currency: 'CNY', isRounded });
  });

  it('is never above the exact amount, and less than a hundredth below it', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), (picos) => {
        const decimal = picosToDecimal(picos);
        expect(picosOf(formatExactAmount(decimal, 'USD').figure)).toBe(picos);
        const { figure, isRounded } = formatAmountRoundedDown(decimal, 'USD');
        const missing = picos - picosOf(figure);
        expect(missing >= 0n && missing < PICOS_PER_HUNDREDTH && isRounded === missing > 0n).toBe(true);
        expect(figure.split('.')[1]).toHaveLength(2);
      }),
    );
  });
});
