import { formatTime } from './format-time';

describe('an instant', () => {
  const instant = '2026-03-08T07:30:15.000Z';

  it('names its time zone', () => {
    expect(formatTime(instant, { language: 'en', timeZone: 'UTC' })).toBe('Mar 8, 2026, 07:30 UTC');
    expect(formatTime(instant, { language: 'en', timeZone: 'Asia/Shanghai', detail: 'day' })).toBe(
      'Mar 8, 2026, GMT+8',
    );
    expect(formatTime(instant, { language: 'zh-CN', timeZone: 'UTC', detail: 'second' })).toContain(
      '07:30:15',
    );
  });

  it('is right on both sides of a clock change', () => {
    const at = (time: string) => formatTime(time, { language: 'en', timeZone: 'America/New_York' });
    expect([at('2026-03-08T06:59:00Z'), at('2026-03-08T07:00:00Z')]).toEqual([
      'Mar 8, 2026, 01:59 EST',
      'Mar 8, 2026, 03:00 EDT',
    ]);
  });
});
