import { addDays, dayOf, daysBetween, formatDay, isDay, instantOf } from './calendar-day';

describe('a day of the calendar', () => {
  it('depends on the time zone', () => {
    const instant = '2026-03-08T17:30:00.000Z';
    expect(dayOf(instant, 'UTC')).toBe('2026-03-08');
    expect(dayOf(instant, 'Asia/Shanghai')).toBe('2026-03-09');
  });

  it('has a next one at the ends of months and where the clock changes', () => {
    expect(addDays('2026-02-28', 1)).toBe('2026-03-01');
    expect(addDays('2026-01-01', -1)).toBe('2025-12-31');
    expect(daysBetween('2026-03-07', '2026-03-09')).toEqual(['2026-03-07', '2026-03-08', '2026-03-09']);
    expect(daysBetween('2026-03-09', '2026-03-07')).toEqual([]);
  });

  it('is read in both languages', () => {
    expect(formatDay('2026-03-08', 'en')).toBe('Mar 8, 2026');
    expect(formatDay('2026-03-08', 'en', true)).toBe('Mar 8');
    expect(formatDay('2026-03', 'en')).toBe('Mar 2026');
    expect(formatDay('2026-03-08', 'zh-CN')).toBe('2026-03-08');
    expect(formatDay('2026-03-08', 'zh-CN', true)).toBe('03-08');
    expect(formatDay('2026-03', 'zh-CN')).toBe('2026-03');
  });

  it('is told from other texts', () => {
    expect(['2026-03-08', '2026-13-08', '2026-02-30', 'today', 5].map(isDay)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

it.each([
  ['2026-12-01T08:30', 'Asia/Shanghai', '2026-12-01T00:30:00.000Z'],
  ['2026-12-01T00:00', 'UTC', '2026-12-01T00:00:00.000Z'],
  ['2026-07-01T12:00', 'Europe/Berlin', '2026-07-01T10:00:00.000Z'],
  // Twice, and never.
  ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
  ['2026-10-25T04:00', 'Europe/Berlin', '2026-10-25T03:00:00.000Z'],
  ['2026-03-29T04:00', 'Europe/Berlin', '2026-03-29T02:00:00.000Z'],
])('knows when clocks show %s in %s', (localTime, timeZone, expected) =>
  expect(instantOf(localTime, timeZone).toISOString()).toBe(expected),
);
