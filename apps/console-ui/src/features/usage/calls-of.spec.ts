import { callsOf } from './usage-report';

const QUESTION = {
  dimension: 'api_key',
  timeZone: 'Asia/Shanghai',
  first: '2026-02-10',
  last: '2026-03-08',
  model: 'chat',
} as const;
const FILTER = { model: 'chat', key: 'none', zone: 'Asia/Shanghai' };

it.each([
  ['hour', '2026-03-07T18:00:00.000Z', '2026-03-08', '2026-03-08'],
  ['day', '2026-03-07', '2026-03-07', '2026-03-07'],
  ['month', '2026-02', '2026-02-10', '2026-02-28'],
  ['month', '2026-03', '2026-03-01', '2026-03-08'],
] as const)('the calls of the %s %s are those of its days in the period', (bucket, place, from, to) => {
  expect(callsOf({ bucket: place, id: 'none' }, { ...QUESTION, bucket })).toEqual({ ...FILTER, from, to });
});
