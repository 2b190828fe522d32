import { periodBefore, periodOf, usagePeriodOf } from './usage-period';
import { usageSearchIn } from './usage-search';

describe('the address of the usage page', () => {
  it('is read as far as it is understood', () => {
    expect(
      usageSearchIn({
        range: '7d',
        bucket: 'week',
        model: 123,
        zone: 'Nowhere',
        from: '2026-02-31x',
        key: '',
      }),
    ).toEqual({ range: '7d', model: '123' });
    expect(usageSearchIn({ zone: 'Asia/Shanghai' })).toEqual({ zone: 'Asia/Shanghai' });
  });
});

describe('the days of a range', () => {
  it.each([
    [{}, '2026-02-10', '2026-03-11'],
    [{ range: 'today' }, '2026-03-11', '2026-03-11'],
    [{ range: '24h' }, '2026-03-10', '2026-03-11'],
    [{ range: '7d' }, '2026-03-05', '2026-03-11'],
    [{ range: 'month' }, '2026-03-01', '2026-03-11'],
    [{ range: 'last-month' }, '2026-02-01', '2026-02-28'],
    [{ range: 'custom', from: '2026-01-05', to: '2026-01-06' }, '2026-01-05', '2026-01-06'],
    [{ range: 'custom', to: '2026-01-30' }, '2026-01-01', '2026-01-30'],
  ] as const)('%j', (search, first, last) => {
    expect(periodOf(search, '2026-03-11')).toEqual({ first, last });
  });
});

const NOW = new Date('2026-03-11T09:30:42Z');
const TODAY = '2026-03-11';

it('the last 24 hours begin 24 hours ago, to the minute', () => {
  expect(usagePeriodOf({ range: '24h' }, NOW, () => TODAY)).toEqual({
    first: '2026-03-10',
    last: TODAY,
    since: '2026-03-10T09:30:00.000Z',
  });
  expect(usagePeriodOf({ range: 'today' }, NOW, () => TODAY)).toEqual({ first: TODAY, last: TODAY });
});

describe('the period before', () => {
  it.each([
    ['today', { range: 'today' }, '2026-03-10', '2026-03-10T09:30:00.000Z'],
    ['24 hours', { range: '24h' }, '2026-03-09T09:30:00.000Z', '2026-03-10T09:30:00.000Z'],
    ['7 days', { range: '7d' }, '2026-02-26', '2026-03-04T09:30:00.000Z'],
    ['this month', { range: 'month' }, '2026-02-01', '2026-02-11T09:30:00.000Z'],
    ['last month', { range: 'last-month' }, '2026-01-01', '2026-02-01'],
    ['some days', { range: 'custom', from: '2026-01-05', to: '2026-01-06' }, '2026-01-03', '2026-01-05'],
  ] as const)('of %s is as long, and has only as much of it', (_what, search, from, to) => {
    const period = usagePeriodOf(search, NOW, () => TODAY);
    expect(periodBefore(search, period, NOW, TODAY)).toEqual({ from, to });
  });

  it('of a longer month ends where the month begins', () => {
    const now = new Date('2026-03-31T09:30:00Z');
    const period = usagePeriodOf({ range: 'month' }, now, () => '2026-03-31');
    expect(periodBefore({ range: 'month' }, period, now, '2026-03-31')).toEqual({
      from: '2026-02-01',
      to: '2026-03-01',
    });
  });
});
