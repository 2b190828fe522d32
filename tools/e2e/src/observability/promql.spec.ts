import { groupingLabelsOf, selectorsOf } from './promql';

it('finds metrics and their labels, and no functions, strings, durations or operators', () => {
  const expression =
    'sum by (job, le) (rate(a_bucket{le="0.5", job=~"x|y{z}"}[5m])) / on (job) group_left () b:c and (d offset 15m or 1e3) > 0.5';
  expect(selectorsOf(expression)).toEqual([
    { metric: 'a_bucket', labels: ['le', 'job'], values: { le: '0.5' } },
    { metric: 'b:c', labels: [], values: {} },
    { metric: 'd', labels: [], values: {} },
  ]);
  expect(groupingLabelsOf(expression)).toEqual(['job', 'le']);
});
