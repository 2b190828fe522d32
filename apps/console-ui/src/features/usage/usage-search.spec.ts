import { periodOf, usageSearchIn } from './usage-search';

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
    [{ range: '7d' }, '2026-03-05', '2026-03-11'],
    [{ range: 'month' }, '2026-03-01', '2026-03-11'],
    [{ range: 'last-month' }, '2026-02-01', '2026-02-28'],
    [{ range: 'custom', from: '2026-01-05', to: '2026-01-06' }, '2026-01-05', '2026-01-06'],
    [{ range: 'custom', to: '2026-01-30' }, '2026-01-01', '2026-01-30'],
  ] as const)('%j', (search, first, last) => {
    expect(periodOf(search, '2026-03-11')).toEqual({ first, last });
  });
});
