import fc from 'fast-check';
import { Figure } from './figure';

const decimals = fc
  .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.stringMatching(/^\d{0,18}$/))
  .map(([whole, fraction]) => (fraction === '' ? String(whole) : `${whole}.${fraction}`));

describe('a figure', () => {
  it('keeps every digit', () => {
    expect(Figure.of('1234567.123456789012').toString()).toBe('1234567.123456789012');
    expect(Figure.of('9007199254740993').toString()).toBe('9007199254740993');
    expect(Figure.of('-0.000000000001').toString()).toBe('-0.000000000001');
  });

  it('reads the forms of JSON numbers', () => {
    expect(Figure.of('1e-7').toString()).toBe('0.0000001');
    expect(Figure.of('2.50E+3').toString()).toBe('2500');
    expect(Figure.of('-0').toString()).toBe('0');
    expect(Figure.of(12n).toString()).toBe('12');
  });

  it.each(['', ' 1', '1.', '.5', '1,5', 'NaN', 'Infinity', '0x10', '1e999999999', '--1'])(
    'refuses %j',
    (text) => {
      expect(Figure.parse(text)).toBeUndefined();
      expect(() => Figure.of(text)).toThrow(RangeError);
    },
  );

  it('gives back what it was made of, without needless zeros', () => {
    fc.assert(
      fc.property(decimals, (text) => {
        const again = Figure.of(Figure.of(text).toString());
        expect(again.equals(Figure.of(text))).toBe(true);
        expect(again.toString()).not.toMatch(/\.\d*0$|\.$/);
      }),
    );
  });

  it('adds exactly, in any order', () => {
    fc.assert(
      fc.property(fc.array(decimals, { maxLength: 20 }), (texts) => {
        const figures = texts.map((text) => Figure.of(text));
        const total = Figure.sum(figures);
        expect(Figure.sum([...figures].reverse()).toString()).toBe(total.toString());
        expect(figures.reduce((rest, figure) => rest.minus(figure), total).isZero).toBe(true);
      }),
    );
  });

  it('multiplies a price with tokens exactly', () => {
    const price = Figure.of('0.123456789012');
    expect(price.times(Figure.of('7')).dividedByTenTo(6).toString()).toBe('0.000000864197523084');
  });

  it('compares by value', () => {
    fc.assert(
      fc.property(decimals, decimals, (a, b) => {
        const [left, right] = [Figure.of(a), Figure.of(b)];
        expect(Math.sign(left.compare(right))).toBe(-Math.sign(right.compare(left)) + 0);
        expect(left.compare(right) < 0).toBe(left.minus(right).isNegative);
      }),
    );
    expect(Figure.of('1.50').equals(Figure.of('1.5'))).toBe(true);
    expect(Figure.of('-3').absolute().toString()).toBe('3');
  });
});

it.each([
  ['0.000123', '0.01'],
  ['0.22', '0.22'],
  ['0.2200001', '0.23'],
  ['3', '3'],
  ['9.991', '10'],
  ['-0.005', '0'],
])('rounds %s up to %s', (exact, rounded) => {
  expect(Figure.of(exact).roundedUpTo(2).toString()).toBe(rounded);
});
