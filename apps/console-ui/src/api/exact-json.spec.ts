import fc from 'fast-check';
import { Figure } from '../figures/figure';
import { parseExact, stringifyExact } from './exact-json';

describe('exact JSON', () => {
  it('keeps every digit of every number', () => {
    const text = '{"cost":1234567.123456789012,"tokens":9007199254740993,"rows":[{"price":0.000000000001}]}';
    expect(parseExact(text)).toEqual({
      cost: Figure.of('1234567.123456789012'),
      tokens: Figure.of('9007199254740993'),
      rows: [{ price: Figure.of('0.000000000001') }],
    });
  });

  it('writes numbers as they are, and those that are no double as texts', () => {
    const figures = ['25', '-0.000000000001', '1234567.123456789012'].map((text) => Figure.of(text));
    expect(stringifyExact({ figures })).toBe('{"figures":[25,-0.000000000001,"1234567.123456789012"]}');
  });

  it('leaves texts, booleans and null alone', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.boolean(), fc.constant(null)), (value) => {
        expect(parseExact(JSON.stringify({ value }))).toEqual({ value });
      }),
    );
  });

  it('refuses what is not JSON', () => {
    expect(() => parseExact('<html>')).toThrow(SyntaxError);
  });
});
