import { Figure } from '../../figures/figure';
import { type UsageRow } from './usage-queries';
import { bucketsOf, reportOf } from './usage-report';

const row = (
  timestamp: string,
  model: string,
  cost: string,
  unit: UsageRow['unit'] = 'per_request',
): UsageRow => ({
  timestamp,
  model,
  cost: Figure.of(cost),
  quantity: Figure.of('0.000001'),
  unit,
  currency: 'CNY',
});

const BY_DAY = { dimension: 'model', bucket: 'day', timeZone: 'America/New_York' } as const;

describe('the report of usage', () => {
  it('adds up every digit, dearest group first', () => {
    const report = reportOf(
      [
        row('2026-03-08T05:00:00.000Z', 'a', '0.000000000001'),
        row('2026-03-08T05:00:00.000Z', 'a', '1', 'per_million_tokens'),
        row('2026-03-08T05:00:00.000Z', 'b', '1234567.123456789012'),
        row('2026-03-09T04:00:00.000Z', 'a', '2'),
      ],
      BY_DAY,
    );
    expect(report.total.cost.toString()).toBe('1234570.123456789013');
    expect(report.groups.map(({ id, cost }) => [id, cost.toString()])).toEqual([
      ['b', '1234567.123456789012'],
      ['a', '3.000000000001'],
    ]);
    expect(report.entries.map(({ bucket, id }) => `${bucket} ${id}`)).toEqual([
      '2026-03-08 a',
      '2026-03-08 b',
      '2026-03-09 a',
    ]);
    expect(report.units).toEqual(['per_million_tokens', 'per_request']);
    expect(report.groups[1]!.quantities.per_request!.toString()).toBe('0.000002');
    expect(report.currency).toBe('CNY');
  });

  it('groups calls without a key under none', () => {
    const rows = [{ ...row('2026-03-08T05:00:00.000Z', 'a', '1'), api_key: null }];
    expect(reportOf(rows, { ...BY_DAY, dimension: 'api_key' }).groups[0]).toMatchObject({ id: 'none' });
  });

  it('has no currency without rows', () => {
    expect(reportOf([], BY_DAY)).toMatchObject({ currency: undefined, groups: [], units: [] });
  });
});

describe('the buckets of a chart', () => {
  const period = { first: '2026-02-27', last: '2026-03-01' };

  it('are all days or months of the period', () => {
    expect(bucketsOf(reportOf([], BY_DAY), 'day', period)).toEqual([
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
    ]);
    expect(bucketsOf(reportOf([], BY_DAY), 'month', period)).toEqual(['2026-02', '2026-03']);
  });

  it('are the hours from the first to the last with usage', () => {
    const hours = ['2026-03-08T05:00:00.000Z', '2026-03-08T07:00:00.000Z'].map((hour) => row(hour, 'a', '1'));
    expect(bucketsOf(reportOf(hours, { ...BY_DAY, bucket: 'hour' }), 'hour', period)).toEqual([
      '2026-03-08T05:00:00.000Z',
      '2026-03-08T06:00:00.000Z',
      '2026-03-08T07:00:00.000Z',
    ]);
    expect(bucketsOf(reportOf([], BY_DAY), 'hour', period)).toEqual([]);
  });
});
