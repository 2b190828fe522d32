import { Figure } from '../../figures/figure';
import { type HistoryLine, mostUsed, pointsOf, summariesOf } from './limit-summaries';

const line = (name: HistoryLine['name'], days: [string, number, number, number][]): HistoryLine => ({
  ...{ scope: 'account', model: 'm', api_key_id: null, name },
  days: days.map(([day, used, limit, refusals]) => ({
    day,
    used: Figure.of(BigInt(used)),
    limit: Figure.of(BigInt(limit)),
    refusals: Figure.of(BigInt(refusals)),
  })),
});
const requests = line('requests_per_minute', [
  ['2026-03-07', 90, 100, 1],
  ['2026-03-08', 95, 1_000, 0],
  ['2026-03-10', 900, 1_000, 2],
]);
const running = line('concurrency', [['2026-03-08', 4, 4, 0]]);

it('finds the day on which the largest part of a limit was used, and the limit that matters most', () => {
  const summaries = summariesOf({ limits: [running, requests] });
  expect(summaries.map(({ fullest: { day }, refusals }) => [day, refusals.toString()])).toEqual([
    ['2026-03-08', '0'],
    ['2026-03-10', '3'],
  ]);
  expect(mostUsed(summaries)?.line).toBe(requests);
  const [first] = line('tokens_per_day', [['2026-03-08', 1, 9, 0]]).days;
  expect(mostUsed(summariesOf({ limits: [{ ...requests, days: [first!] }, running] }))?.line).toBe(running);
  expect(mostUsed([])).toBeUndefined();
});

it('has a bar for each day', () => {
  const points = pointsOf(requests, { from: '2026-03-06', to: '2026-03-10' });
  expect(points.map(({ day, use }) => [day, use?.used.toString()])).toEqual([
    ['2026-03-06', undefined],
    ['2026-03-07', '90'],
    ['2026-03-08', '95'],
    ['2026-03-09', undefined],
    ['2026-03-10', '900'],
  ]);
});
