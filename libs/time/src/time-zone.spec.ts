import fc from 'fast-check';
import { isTimeZone, startOfDayMillis, startsOfDays, startsOfMonths } from './time-zone';

const MILLIS_PER_DAY = 86_400_000;

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
    // Offsets, which POSIX reads with the opposite sign.
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
    // Names of three letters: IST is in India and in Israel.
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
    const dates = fc.integer({
      min: Date.UTC(2012, 0) / MILLIS_PER_DAY,
      max: Date.UTC(2027, 0) / MILLIS_PER_DAY,
    });
    fc.assert(
      fc.property(fc.constantFrom(...zones), dates, (timeZone, day) => {
        const clock = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
        const date = new Date(day * MILLIS_PER_DAY).toISOString().slice(0, 10);
        const at = startOfDayMillis(day * MILLIS_PER_DAY, timeZone);
        expect([clock.format(at - 1) < date, clock.format(at)]).toEqual([true, date]);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('startsOfDays', () => {
  const starts = (timeZone: string, from: string, to: string) =>
    startsOfDays(timeZone, Date.parse(from), Date.parse(to)).map((at) => new Date(at).toISOString());

  it.each([
    ['UTC', '2025-01-01', '2025-01-01T23:59Z', ['2025-01-01T00:00:00.000Z']],
    ['UTC', '1969-12-31T23:00Z', '1970-01-01', ['1969-12-31T00:00:00.000Z', '1970-01-01T00:00:00.000Z']],
    [
      'Asia/Kolkata',
      '2025-01-01T18:29Z',
      '2025-01-01T18:30Z',
      ['2024-12-31T18:30:00.000Z', '2025-01-01T18:30:00.000Z'],
    ],
    [
      'America/Santiago',
      '2025-09-06T12:00Z',
      '2025-09-08T12:00Z',
      ['2025-09-06T04:00:00.000Z', '2025-09-07T04:00:00.000Z', '2025-09-08T03:00:00.000Z'],
    ],
    // There was no 30 December.
    [
      'Pacific/Apia',
      '2011-12-29T12:00Z',
      '2011-12-30T12:00Z',
      ['2011-12-29T10:00:00.000Z', '2011-12-30T10:00:00.000Z'],
    ],
  ])('in %s from %s to %s are known', (timeZone, from, to, expected) =>
    expect(starts(timeZone, from, to)).toEqual(expected),
  );

  it.each([
    ['America/Recife', '2000-09-20', 40],
    ['Asia/Gaza', '2040-09-20', 60],
    ['Africa/Casablanca', '2025-02-01', 90],
  ])(
    'in %s from %s on are those of each day, though the clocks change for some days only',
    (timeZone, from, count) => {
      const each = Array.from({ length: count }, (_, index) =>
        startOfDayMillis(Date.parse(from) + index * MILLIS_PER_DAY, timeZone),
      );
      expect(startsOfDays(timeZone, each[0] ?? NaN, each.at(-1) ?? NaN)).toEqual(each);
    },
  );

  it('are the starts of each day, whatever the range', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    const days = fc.integer({ min: 0, max: Date.UTC(2027, 0) / MILLIS_PER_DAY });
    fc.assert(
      fc.property(fc.constantFrom(...zones), days, fc.nat(400), (timeZone, first, count) => {
        const last = first + count;
        const each = Array.from({ length: count + 1 }, (_, index) =>
          startOfDayMillis((first + index) * MILLIS_PER_DAY, timeZone),
        );
        const from = startOfDayMillis(first * MILLIS_PER_DAY, timeZone);
        const to = startOfDayMillis(last * MILLIS_PER_DAY, timeZone);
        expect(startsOfDays(timeZone, from, to)).toEqual([...new Set(each)]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('startsOfMonths', () => {
  const starts = (timeZone: string, from: string, to: string) =>
    startsOfMonths(timeZone, Date.parse(from), Date.parse(to)).map((at) => new Date(at).toISOString());

  it.each([
    ['UTC', '2025-11-01T00:00:00Z', '2025-11-30T23:59:59Z', ['2025-11-01T00:00:00.000Z']],
    [
      'UTC',
      '2025-12-31T23:59:59Z',
      '2026-01-01T00:00:00Z',
      ['2025-12-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ],
    [
      'America/New_York',
      '2025-11-01T03:59:59Z',
      '2025-12-01T05:00:00Z',
      ['2025-10-01T04:00:00.000Z', '2025-11-01T04:00:00.000Z', '2025-12-01T05:00:00.000Z'],
    ],
    ['Asia/Kolkata', '2025-10-31T18:30:00Z', '2025-11-02T00:00:00Z', ['2025-10-31T18:30:00.000Z']],
  ])('in %s from %s to %s', (timeZone, from, to, expected) =>
    expect(starts(timeZone, from, to)).toEqual(expected),
  );

  it('are starts of days, one in each month', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    const from = fc.integer({ min: Date.UTC(2012, 0), max: Date.UTC(2026, 0) });
    fc.assert(
      fc.property(fc.constantFrom(...zones), from, (timeZone, fromMillis) => {
        const toMillis = fromMillis + 100 * MILLIS_PER_DAY;
        const months = startsOfMonths(timeZone, fromMillis, toMillis);
        const days = startsOfDays(timeZone, months[0]!, toMillis);
        const clock = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit' });
        const firstDays = days.filter(
          (day, index) => index === 0 || clock.format(day) !== clock.format(days[index - 1]),
        );
        expect(months).toEqual(firstDays);
        expect(clock.format(months[0])).toBe(clock.format(fromMillis));
      }),
      { numRuns: 300 },
    );
  });
});
