import { Figure } from '../../figures/figure';
import { exportSearchIn, faultOf, parametersOf, type Standing, standingOf } from './export-list';

const figure = (count: number) => Figure.of(String(count));

it.each<
  [Standing, Partial<Record<'enabled' | 'closed', boolean>>, open: number, failed: number, lag: number]
>([
  ['off', { enabled: false, closed: false }, 0, 0, 0],
  ['unbegun', { closed: false }, 0, 0, 0],
  ['failed', {}, 3, 1, 99_999],
  ['behind', {}, 3, 0, 99_999],
  ['late', {}, 0, 0, 901],
  ['current', {}, 0, 0, 900],
])('is %s', (standing, { enabled = true, closed = true }, open, failed, lag) =>
  expect(
    standingOf({
      enabled,
      closed_until: closed ? '2026-01-31T07:00:00.000Z' : null,
      open_hours: figure(open),
      failed_hours: figure(failed),
      lag_seconds: figure(lag),
    }),
  ).toBe(standing),
);

it('reads a state and a day of UTC from the address', () => {
  expect(exportSearchIn({ state: 'failed', day: '2026-02-28', other: 1 })).toEqual({
    state: 'failed',
    day: '2026-02-28',
  });
  expect(exportSearchIn({ state: 'done', day: '30.1.2026' })).toEqual({});
  expect(parametersOf({ state: 'failed', day: '2026-02-28' })).toEqual({
    state: 'failed',
    from: '2026-02-28T00:00:00Z',
    to: '2026-03-01T00:00:00Z',
  });
  expect(parametersOf({})).toEqual({});
});

it('tells faults apart, and keeps what the service says', () => {
  expect(faultOf('storage unavailable')).toEqual({ kind: 'storage', detail: '' });
  expect(
    faultOf('The hour differs from the books. cost of usage: 2 exported, 1 in the books; tokens of usage: 4'),
  ).toEqual({ kind: 'books', detail: 'cost of usage: 2 exported, 1 in the books; tokens of usage: 4' });
  expect(faultOf('no memory')).toEqual({ kind: 'other', detail: 'no memory' });
});
