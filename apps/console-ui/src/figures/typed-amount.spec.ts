import fc from 'fast-check';
import { LANGUAGES } from '../language/language';
import { Figure } from './figure';
import { LEDGER_DECIMALS, PAYMENT_DECIMALS, readAmount } from './typed-amount';

const cents = fc.bigInt({ min: 0n, max: 10n ** 14n - 1n });

const amountOf = (hundredths: bigint) => Figure.of(hundredths).dividedByTenTo(PAYMENT_DECIMALS);

function formatted(amount: Figure, language: string, useGrouping: boolean): string {
  const format = new Intl.NumberFormat(language, { useGrouping, maximumFractionDigits: PAYMENT_DECIMALS });
  return format.format(amount.toString() as `${number}`);
}

describe.each(LANGUAGES)('an amount of money written in %s', (language) => {
  it('is read as what it says', () => {
    fc.assert(
      fc.property(cents, (hundredths) => {
        const amount = amountOf(hundredths);
        const read = readAmount(formatted(amount, language, false), PAYMENT_DECIMALS);
        expect(read?.toString()).toBe(amount.toString());
      }),
    );
  });

  it('is never read as another amount when it has separators of thousands', () => {
    fc.assert(
      fc.property(cents, (hundredths) => {
        const amount = amountOf(hundredths);
        const read = readAmount(formatted(amount, language, true), PAYMENT_DECIMALS);
        expect(read?.toString() ?? amount.toString()).toBe(amount.toString());
      }),
    );
  });
});

/** How a country reads a text whose decimals stand after a comma. */
function readWithDecimalComma(text: string): string | undefined {
  if (!/^[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?$/.test(text)) return undefined;
  return Figure.of(text.replaceAll('.', '').replace(',', '.').replace('+', '')).toString();
}

it('reads no text that means another amount in a country with a decimal comma', () => {
  const typed = fc.string({ unit: fc.constantFrom(...'0123456789.,-+'), minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(typed, (text) => {
      const read = readAmount(text, PAYMENT_DECIMALS, { isSigned: true })?.toString();
      if (read !== undefined) expect(readWithDecimalComma(text) ?? read).toBe(read);
    }),
    { numRuns: 2_000 },
  );
});

it.each([
  ['5', '5'],
  [' 20.50 ', '20.5'],
  ['１０．５', '10.5'],
  ['\u200e10.50\u202c', '10.5'],
  ['0.00', '0'],
  ['123456789012.99', '123456789012.99'],
])('reads %j as %s', (text, amount) => {
  expect(readAmount(text, PAYMENT_DECIMALS)?.toString()).toBe(amount);
});

it.each([
  '10,50',
  '1,050',
  '1.050',
  '1,050.00',
  '1.050,00',
  '１０，５０',
  "1'050",
  '1 050',
  '1\u00a0050',
  '5.001',
  '-20',
  '+20',
  '1e3',
  '.5',
  '1.',
  '1..5',
  '0x10',
  '1234567890123',
  '٥',
  '5²',
  '⒈5',
  '①0',
  '$5',
  '',
  ' ',
])('refuses %j', (text) => {
  expect(readAmount(text, PAYMENT_DECIMALS)).toBeUndefined();
});

it.each([
  ['+0.5', '0.5'],
  ['-1.50', '-1.5'],
  ['\u22123', '-3'],
])('reads the sign of %j', (text, amount) => {
  expect(readAmount(text, PAYMENT_DECIMALS, { isSigned: true })?.toString()).toBe(amount);
});

it.each(['-1,50', '--1', '+-1', '- 1'])('refuses the signed %j', (text) => {
  expect(readAmount(text, PAYMENT_DECIMALS, { isSigned: true })).toBeUndefined();
});

it('reads as many decimals as are allowed', () => {
  expect(readAmount('0.000000000001', LEDGER_DECIMALS)?.toString()).toBe('0.000000000001');
  expect(readAmount('0.0000000000001', LEDGER_DECIMALS)).toBeUndefined();
});
