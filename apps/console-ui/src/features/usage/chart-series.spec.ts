import { Figure } from '../../figures/figure';
import { type UsageRow } from './usage-queries';
import { chartOf, reportOf } from './usage-report';

const rowOf = (model: string, cost: string): UsageRow => ({
  timestamp: '2026-03-08T00:00:00.000Z',
  model,
  cost: Figure.of(cost),
  quantity: Figure.zero,
  unit: 'per_request',
  currency: 'USD',
});

it('shows the dearest groups alone and all others together', () => {
  const rows = Array.from({ length: 9 }, (_, index) => rowOf(`m${index}`, `${index}.000000000001`));
  const report = reportOf(rows, { dimension: 'model', bucket: 'day', timeZone: 'UTC' });
  const { series, points } = chartOf(report, ['2026-03-07', '2026-03-08']);
  expect(series.map(({ group }) => group?.id)).toEqual(['m8', 'm7', 'm6', 'm5', 'm4', 'm3', 'm2', undefined]);
  expect(points[0]).toEqual({ bucket: '2026-03-07', costs: {} });
  expect(points[1]!.costs['other']!.toString()).toBe('1.000000000002');
  expect(Figure.sum(Object.values(points[1]!.costs)).equals(report.total.cost)).toBe(true);
});
