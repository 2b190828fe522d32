import { Figure } from '../../figures/figure';
import { proposedAmount, topUpSearchIn } from './top-up-search';
import { payableAmount } from './wallet-queries';

it.each([
  ['5', '5'],
  [' 20.50 ', '20.5'],
  ['10000', '10000'],
  ['10,000', undefined],
  ['10,50', undefined],
  ['1.050', undefined],
  ['4.99', undefined],
  ['10000.01', undefined],
  ['5.001', undefined],
  ['-20', undefined],
  ['1e3', undefined],
  ['', undefined],
])('reads %j as %s', (text, amount) => {
  const [least, most] = [Figure.of('5'), Figure.of('10000')];
  expect(payableAmount(text, least, most)?.toString()).toBe(amount);
});

it.each([
  ['12.5', '12.5'],
  ['0.23', '5'],
  ['20000', '10000'],
  [undefined, undefined],
])('an address that proposes %s fills in %s', (text, amount) => {
  const [least, most] = [Figure.of('5'), Figure.of('10000')];
  expect(proposedAmount(text, least, most)?.toString()).toBe(amount);
});

it.each([['10,50'], ['-5'], ['1e3'], ['1.050'], ['0'], [1e21], [-3], [NaN], [{}], [null], [undefined]])(
  'an address with the amount %p proposes none',
  (amount) => {
    expect(topUpSearchIn({ amount })).toEqual({});
  },
);

it('an address may hold the amount as a number', () => {
  expect(topUpSearchIn({ amount: 12.5 })).toEqual({ amount: '12.5' });
});
