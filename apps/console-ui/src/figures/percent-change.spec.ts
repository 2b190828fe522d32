import { Figure } from './figure';
import { percentChange } from './format-figure';

it.each([
  ['2', '2.5', '25', false],
  ['2', '1', '-50', false],
  ['3', '4', '33.33', true],
  ['3', '2', '-33.33', true],
  ['0.6', '0.7', '16.67', true],
  ['1000000', '0', '-100', false],
  ['0.000000000001', '0.000000000003', '200', false],
  ['9007199254740993', '9007199254740994', '0', true],
])('from %s to %s', (before, after, percent, isRounded) => {
  const change = percentChange(Figure.of(before), Figure.of(after));
  expect([change?.percent.toString(), change?.isRounded]).toEqual([percent, isRounded]);
});

it('is undefined without a price to compare with', () => {
  expect(percentChange(undefined, Figure.of('1'))).toBeUndefined();
  expect(percentChange(Figure.of('1'), undefined)).toBeUndefined();
  expect(percentChange(Figure.zero, Figure.of('1'))).toBeUndefined();
});
