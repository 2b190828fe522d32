import { Figure } from '../../figures/figure';
import { adjustmentIn } from './account-queries';

describe('a typed adjustment', () => {
  it.each([
    ['25', '25'],
    [' +0.5 ', '0.5'],
    ['-1234.05', '-1234.05'],
    ['−3', '-3'],
  ])('of %j is %s', (text, amount) => {
    expect(adjustmentIn(text)!.equals(Figure.of(amount))).toBe(true);
  });

  it.each([
    '',
    '0',
    '-0.00',
    '1e3',
    '.5',
    '1.',
    '--1',
    '0.001',
    '-1,50',
    '-1,234.50',
    '1234567890123',
    'ten',
  ])('of %j is refused', (text) => {
    expect(adjustmentIn(text)).toBeUndefined();
  });
});
