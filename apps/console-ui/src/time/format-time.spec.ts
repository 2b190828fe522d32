import { formatDuration, formatTime, formatTimeRange } from './format-time';

describe('an instant', () => {
  const instant = '2026-03-08T07:30:15.000Z';

  it('is read in both languages', () => {
    expect(formatTime(instant, { language: 'en', timeZone: 'UTC' })).toBe('Mar 8, 2026, 07:30');
    expect(formatTime(instant, { language: 'en', timeZone: 'Asia/Shanghai', detail: 'day' })).toBe(
      'Mar 8, 2026',
    );
    const chinese = { language: 'zh-CN', timeZone: 'Asia/Shanghai' } as const;
    expect(formatTime('2026-11-27T18:07:09Z', chinese)).toBe('2026-11-28 02:07');
    expect(formatTime('2026-11-27T18:07:09Z', { ...chinese, detail: 'second' })).toBe('2026-11-28 02:07:09');
    expect(formatTime('2026-11-27T16:00:00Z', chinese)).toBe('2026-11-28 00:00');
    expect(formatTime(instant, { ...chinese, detail: 'day' })).toBe('2026-03-08');
  });

  it('is right on both sides of a clock change', () => {
    const at = (time: string) => formatTime(time, { language: 'en', timeZone: 'America/New_York' });
    expect([at('2026-03-08T06:59:00Z'), at('2026-03-08T07:00:00Z')]).toEqual([
      'Mar 8, 2026, 01:59',
      'Mar 8, 2026, 03:00',
    ]);
  });
});

it('two instants have their common day once', () => {
  const range = (end: string) =>
    formatTimeRange(new Date('2026-03-08T22:00:00Z'), new Date(end), { language: 'zh-CN', timeZone: 'UTC' });
  expect(range('2026-03-08T23:00:00Z')).toBe('2026-03-08 22:00 – 23:00');
  expect(range('2026-03-09T00:00:00Z')).toBe('2026-03-08 22:00 – 2026-03-09 00:00');
});

it.each([
  [0, '0 minutes'],
  [59 * 60_000, '59 minutes'],
  [26 * 3_600_000, '1 day 2 hours'],
  [24 * 3_600_000 + 5 * 60_000, '1 day'],
  [90 * 60_000, '1 hour 30 minutes'],
  [-5, '0 minutes'],
])('a duration of %d ms is %s', (millis, text) => {
  expect(formatDuration(millis, 'en')).toBe(text);
});
