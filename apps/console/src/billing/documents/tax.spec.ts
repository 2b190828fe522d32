import fc from 'fast-check';
import { scaledToDecimal } from '@inference/money';
import { PERCENT_DECIMALS, PERCENT_SCALE, splitTaxes } from './tax';

const total = fc.oneof(fc.bigInt({ min: 1n, max: 2_000n }), fc.bigInt({ min: 1n, max: 10n ** 18n }));
/** Includes bounds and duplicates often. */
const percent = fc.oneof(
  fc.constantFrom(0n, 1n, 6n * PERCENT_SCALE, 100n * PERCENT_SCALE),
  fc.bigInt({ min: 0n, max: 100n * PERCENT_SCALE }),
);
const percents = fc.array(percent, { maxLength: 10 });
const ratesOf = (scaled: bigint[]) =>
  scaled.map((value, index) => ({ name: `Tax ${index}`, percent: scaledToDecimal(value, PERCENT_DECIMALS) }));
const sum = (values: bigint[]) => values.reduce((whole, value) => whole + value, 0n);

describe('splitTaxes', () => {
  it('splits the total exactly into net and taxes, none of them negative', () => {
    fc.assert(
      fc.property(total, percents, (totalMinor, scaled) => {
        const { netMinor, taxes } = splitTaxes(totalMinor, ratesOf(scaled));
        const amounts = taxes.map(({ amountMinor }) => amountMinor);
        expect(netMinor + sum(amounts)).toBe(totalMinor);
        expect([netMinor, ...amounts].every((amount) => amount >= 0n)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is off by less than one hundredth per tax and by at most half of one for the net', () => {
    fc.assert(
      fc.property(total, percents, (totalMinor, scaled) => {
        const { netMinor, taxes } = splitTaxes(totalMinor, ratesOf(scaled));
        const divisor = 100n * PERCENT_SCALE + sum(scaled);
        const distance = (amount: bigint, part: bigint) => {
          const difference = amount * divisor - totalMinor * part;
          return difference < 0n ? -difference : difference;
        };
        expect(2n * distance(netMinor, 100n * PERCENT_SCALE) <= divisor).toBe(true);
        for (const [index, { amountMinor }] of taxes.entries())
          expect(distance(amountMinor, scaled[index]!) < divisor).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    [10_000n, ['6'], 9_434n, [566n]],
    [10_600n, ['6'], 10_000n, [600n]],
    [10_000n, ['7.25', '1.5'], 9_195n, [667n, 138n]],
    [1n, ['13'], 1n, [0n]],
    [1n, ['100'], 1n, [0n]],
    [2n, ['100', '100', '100'], 1n, [1n, 0n, 0n]],
    [999n, ['0'], 999n, [0n]],
    [999n, [], 999n, []],
  ])('splits %d at %j into a net of %d', (totalMinor, percents, netMinor, amounts) => {
    const split = splitTaxes(
      totalMinor,
      percents.map((text) => ({ name: 'Tax', percent: text })),
    );
    expect([split.netMinor, split.taxes.map(({ amountMinor }) => amountMinor)]).toEqual([netMinor, amounts]);
  });
});
