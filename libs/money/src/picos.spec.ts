import fc from 'fast-check';
import {
  decimalToPicos,
  decimalToScaled,
  exactNumber,
  InvalidAmountError,
  PICOS_PER_UNIT,
  picosToDecimal,
  scaledToDecimal,
  stringifyExact,
} from './picos';

const amount = fc.bigInt({ min: -(10n ** 30n) + 1n, max: 10n ** 30n - 1n });
/** Small enough to stay readable with zeros added. */
const wallet = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });
const digits = fc.integer({ min: 0, max: 18 });

describe('amounts', () => {
  it('come back unchanged from their decimal text', () => {
    fc.assert(
      fc.property(amount, digits, (value, scale) => {
        expect(decimalToScaled(scaledToDecimal(value, scale), scale)).toBe(value);
      }),
    );
  });

  it('have one text each: no exponent, no needless zeros', () => {
    fc.assert(
      fc.property(amount, (picos) => {
        expect(picosToDecimal(picos)).toMatch(/^(0|-?(0\.\d*[1-9]|[1-9]\d*(\.\d*[1-9])?))$/);
      }),
    );
  });

  it('are the same written with an exponent or with zeros around them', () => {
    fc.assert(
      fc.property(wallet, fc.integer({ min: 0, max: 9 }), (picos, shift) => {
        const text = picosToDecimal(picos);
        expect(decimalToPicos(`${picos}e-12`)).toBe(picos);
        expect(decimalToPicos(`${text}${text.includes('.') ? '' : '.'}${'0'.repeat(shift + 1)}`)).toBe(picos);
        expect(decimalToPicos(`${picos * 10n ** BigInt(shift)}e-${12 + shift}`)).toBe(picos);
      }),
    );
  });

  it('add up: the text of a sum is the sum of the texts', () => {
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        expect(decimalToPicos(picosToDecimal(a)) + decimalToPicos(picosToDecimal(b))).toBe(
          decimalToPicos(picosToDecimal(a + b)),
        );
      }),
    );
  });

  it('are kept from JSON numbers of up to 15 digits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 15n) + 1n, max: 10n ** 15n - 1n }), (picos) => {
        const parsed = JSON.parse(picosToDecimal(picos)) as number;
        expect(decimalToPicos(parsed)).toBe(picos);
      }),
    );
  });

  it('reach JSON digit by digit', () => {
    fc.assert(
      fc.property(amount, (picos) => {
        const text = picosToDecimal(picos);
        expect(stringifyExact({ amount: exactNumber(text) })).toBe(`{"amount":${text}}`);
      }),
    );
  });

  it('are refused rather than rounded', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 1, max: 6 }), (value, more) => {
        const finer = value * 10n ** BigInt(more) + 1n;
        expect(() => decimalToScaled(scaledToDecimal(finer, 12 + more), 12)).toThrow(InvalidAmountError);
      }),
    );
  });

  it.each([
    '',
    ' ',
    '.5',
    '5.',
    '+1',
    '--1',
    '1,5',
    '0x10',
    'NaN',
    'Infinity',
    '1e',
    '1e9999',
    '1 ',
    '١',
    '1e60',
    '1_000',
  ])('are not read from %j', (text) => expect(() => decimalToPicos(text)).toThrow(InvalidAmountError));

  it.each([NaN, Infinity, -Infinity, 1e-13, 0.1 + 0.2, 1e300])('are not read from the number %d', (value) => {
    expect(() => decimalToPicos(value)).toThrow(InvalidAmountError);
  });

  it.each([
    ['1', PICOS_PER_UNIT],
    ['-0', 0n],
    ['-0.000000000001', -1n],
    ['1e-12', 1n],
    ['2.5E3', 2_500n * PICOS_PER_UNIT],
    [1e-7, 100_000n],
    [0.1, PICOS_PER_UNIT / 10n],
  ])('%s is %d picos', (decimal, picos) => {
    expect(decimalToPicos(decimal)).toBe(picos);
  });

  it('can be held to fewer decimals', () => {
    expect(decimalToPicos('1.05', 2)).toBe(1_050_000_000_000n);
    expect(() => decimalToPicos('1.005', 2)).toThrow('has more than 2 decimals');
  });
});
