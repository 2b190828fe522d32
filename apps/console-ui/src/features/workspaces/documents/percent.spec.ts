import { Figure } from '../../../figures/figure';
import { percentOf } from './document-queries';

it('is the share in whole percent, below 100 while the document is being read', () => {
  const percent = (processed: string, total: string) =>
    percentOf({ processed: Figure.of(processed), total: Figure.of(total) });
  expect([percent('0', '3'), percent('1', '3'), percent('3', '3')]).toEqual([0, 33, 99]);
});

it('is unknown without a total', () => {
  expect(percentOf({ processed: Figure.of('5'), total: null })).toBeNull();
  expect(percentOf({ processed: Figure.zero, total: Figure.zero })).toBeNull();
});
