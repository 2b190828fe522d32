import fc from 'fast-check';
import { hasWholeHourOffsets, isTimeZone, startOfDayMillis } from './time-zone';

describe('isTimeZone', () => {
  it.each([
    ...[
      'UTC',
      'GMT',
      'utc',
      'gmt',
      'Etc/UTC',
      'Etc/GMT+8',
      'etc/gmt-14',
      'Zulu',
      'Greenwich',
      'GMT0',
      'GMT+0',
    ],
    ...[
      'Asia/Shanghai',
      'asia/shanghai',
      'ASIA/KOLKATA',
      'Asia/Calcutta',
      'Europe/Kyiv',
      'America/Port-au-Prince',
    ],
    ...['America/Argentina/Buenos_Aires', 'US/Pacific', 'Brazil/East', 'Antarctica/DumontDUrville'],
    ...['Japan', 'Singapore', 'Hongkong', 'GB', 'NZ', 'NZ-CHAT', 'W-SU', 'EST5EDT', 'Cuba'],
  ])('knows %s', (name) => expect(isTimeZone(name)).toBe(true));

  it.each([
    ...[
      '',
      ' ',
      'local',
      'Asia/Nowhere',
      'Asia/Shanghai ',
      ' UTC',
      '../etc/passwd',
      'UTC\0',
      'Ｊapan',
      '東京',
    ],
    // PostgreSQL reads +08:00 as west of Greenwich, and each as a zone of POSIX.
    ...[
      '+08:00',
      '-08',
      '08:00',
      'UTC+8',
      'GMT+8',
      'UTC-08:00',
      'Foo/Bar5',
      'EST5',
      'SystemV/EST5',
      'systemv/est5',
    ],
    // Names of three letters: IST is in India for Intl and in Israel for PostgreSQL, CET has summer time in one of them.
    ...[
      'IST',
      'PST',
      'CST',
      'BST',
      'ist',
      'CET',
      'MET',
      'EET',
      'WET',
      'EST',
      'MST',
      'HST',
      'UCT',
      'PRC',
      'ROC',
    ],
    ...['A', 'Factory', 'posixrules', 'Etc/Unknown', 'x'.repeat(10_000), '/'.repeat(10_000)],
  ])('refuses "%s"', (name) => expect(isTimeZone(name)).toBe(false));
});

describe('startOfDayMillis', () => {
  const start = (date: string, timeZone: string) =>
    new Date(startOfDayMillis(Date.parse(date), timeZone)).toISOString();

  it.each([
    // The clocks go from midnight to 1:00, and from 1:00 back to midnight.
    ['2025-09-07', 'America/Santiago', '2025-09-07T04:00:00.000Z'],
    ['2025-03-09', 'America/Havana', '2025-03-09T05:00:00.000Z'],
    ['2025-11-02', 'America/Havana', '2025-11-02T04:00:00.000Z'],
    ['2025-10-26', 'Atlantic/Azores', '2025-10-26T00:00:00.000Z'],
    // From midnight back to 23:00, and from 23:30 to midnight.
    ['2025-04-06', 'America/Santiago', '2025-04-06T04:00:00.000Z'],
    ['2018-05-05', 'Asia/Pyongyang', '2018-05-04T15:00:00.000Z'],
    // A day that the zone skipped begins with the one after it.
    ['2011-12-29', 'Pacific/Apia', '2011-12-29T10:00:00.000Z'],
    ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    ['2011-12-31', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    ['2025-04-06', 'Australia/Lord_Howe', '2025-04-05T13:00:00.000Z'],
    ['2025-04-07', 'Australia/Lord_Howe', '2025-04-06T13:30:00.000Z'],
  ])('of %s in %s is %s', (date, timeZone, expected) => expect(start(date, timeZone)).toBe(expected));

  it('is the first instant with that date on the zone’s clocks', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    const millisPerDay = 86_400_000;
    const dates = fc.integer({
      min: Date.UTC(2012, 0) / millisPerDay,
      max: Date.UTC(2027, 0) / millisPerDay,
    });
    fc.assert(
      fc.property(fc.constantFrom(...zones), dates, (timeZone, day) => {
        const clock = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
        const date = new Date(day * millisPerDay).toISOString().slice(0, 10);
        const at = startOfDayMillis(day * millisPerDay, timeZone);
        expect([clock.format(at - 1) < date, clock.format(at)]).toEqual([true, date]);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('hasWholeHourOffsets', () => {
  const within = (timeZone: string, from: string, to: string) =>
    hasWholeHourOffsets(timeZone, Date.parse(from), Date.parse(to));

  it.each([
    ['UTC', '1970-01-01', '2027-01-01'],
    ['Asia/Shanghai', '2025-01-01', '2026-01-01'],
    ['America/New_York', '2025-01-01', '2026-01-01'],
    // Summer in Lord Howe is whole hours ahead of UTC.
    ['Australia/Lord_Howe', '2025-11-01', '2026-03-01'],
    ['America/Caracas', '2017-01-01', '2018-01-01'],
  ])('is true for %s from %s to %s', (...zoneAndRange) => expect(within(...zoneAndRange)).toBe(true));

  it.each([
    ['Asia/Kolkata', '2025-01-01', '2025-01-02'],
    ['Asia/Kathmandu', '2025-01-01', '2025-01-02'],
    ['America/St_Johns', '2025-01-01', '2025-01-02'],
    ['Australia/Lord_Howe', '2025-03-01', '2025-05-01'],
    ['Australia/Lord_Howe', '2025-01-01', '2026-01-01'],
    ['America/Caracas', '2016-01-01', '2018-01-01'],
    ['Asia/Pyongyang', '2015-01-01', '2026-01-01'],
  ])('is false for %s from %s to %s', (...zoneAndRange) => expect(within(...zoneAndRange)).toBe(false));
});
