import { Figure } from '../../figures/figure';
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
