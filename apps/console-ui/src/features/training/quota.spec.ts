import { Figure } from '../../figures/figure';
import { leftOf, usedPercent } from './training-queries';

const quota = (total: string, used: string) => ({ total: Figure.of(total), used: Figure.of(used) });

it('leaves what is not used, and nothing of a quota that was lowered', () => {
  expect(leftOf(quota('9007199254740995', '2')).toString()).toBe('9007199254740993');
  expect(leftOf(quota('5', '7')).isZero).toBe(true);
});

it('is a part of a hundred', () => {
  expect(usedPercent(quota('10', '4'))).toBe(40);
  expect(usedPercent(quota('5', '7'))).toBe(100);
  expect(usedPercent(quota('0', '0'))).toBe(100);
});
