import { Figure } from '../../figures/figure';
import { marginPoints, type MarginRow, sortedRows } from './margin-report';

const row = (key: string, revenue: string, cost: string, margin: string | null): MarginRow => ({
  key,
  calls: Figure.of('1'),
  calls_without_cost: Figure.zero,
  revenue: Figure.of(revenue),
  revenue_without_cost: Figure.of(revenue)
    .minus(Figure.of(cost))
    .minus(Figure.of(margin ?? '0')),
  cost: Figure.of(cost),
  margin: margin === null ? null : Figure.of(margin),
  margin_percent: margin === null ? null : Figure.of(margin),
});

const ROWS = [row('rich', '10', '4', '6'), row('unknown', '8', '0', null), row('poor', '3', '5', '-2')];

it.each([
  ['revenue', 'rich unknown poor'],
  ['cost', 'poor rich unknown'],
  ['margin', 'rich poor unknown'],
  ['loss', 'poor rich unknown'],
] as const)('sorts by %s, and unknown margins last', (order, keys) => {
  expect(
    sortedRows(ROWS.toReversed(), order)
      .map(({ key }) => key)
      .join(' '),
  ).toBe(keys);
});

it('has a bar for each day, whose parts are the revenue', () => {
  const days = [row('2026-02-27', '10', '4', '5'), row('2026-03-01', '3', '5', '-2')];
  const points = marginPoints(days);
  expect(points.map(({ bucket }) => bucket)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  expect(points.map(({ costs }) => Figure.sum(Object.values(costs)).toString())).toEqual(['10', '0', '3']);
  expect(points[1]!.costs).toEqual({});
  expect(marginPoints([])).toEqual([]);
});
