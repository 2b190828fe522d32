import fc from 'fast-check';
import { instantText, parseInstant, startOfMonth } from './instant';

const read = (text: string) => instantText(parseInstant(text)!);

describe('parseInstant', () => {
  it.each([
    ['2026-11-21', '2026-11-21T00:00:00.000000Z'],
    ['2026-11-21T10:00Z', '2026-11-21T10:00:00.000000Z'],
    ['2026-11-21T10:00:30Z', '2026-11-21T10:00:30.000000Z'],
    ['2026-11-21T10:00:30.5Z', '2026-11-21T10:00:30.500000Z'],
    ['2026-11-21T10:00:30.123456Z', '2026-11-21T10:00:30.123456Z'],
    ['2026-11-21T10:00:30.123456000Z', '2026-11-21T10:00:30.123456Z'],
    // As Go and Java print it: digits beyond microseconds are cut.
    ['2026-11-21T10:00:30.123456999Z', '2026-11-21T10:00:30.123456Z'],
    ['2026-11-21T23:59:59.9999999Z', '2026-11-21T23:59:59.999999Z'],
    ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.999999Z'],
    ['2026-11-21t10:00:30z', '2026-11-21T10:00:30.000000Z'],
    ['2026-11-21T10:00:30.5+08:00', '2026-11-21T02:00:30.500000Z'],
    ['2026-11-21T10:00:30.000000001-03:30', '2026-11-21T13:30:30.000000Z'],
    ['2026-11-21T10:00:30-0000', '2026-11-21T10:00:30.000000Z'],
    // A query string decodes a plus sign that is not encoded to a space.
    ['2026-11-21T10:00:30 08:00', '2026-11-21T02:00:30.000000Z'],
    ['2026-11-21T10:00 0800', '2026-11-21T02:00:00.000000Z'],
    ['2026-11-21T00:30:00+01:00', '2026-11-20T23:30:00.000000Z'],
    ['2026-11-21T00:30-05:30', '2026-11-21T06:00:00.000000Z'],
    ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
    ['1900-01-01T00:00:00.000001Z', '1900-01-01T00:00:00.000001Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000000Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000000Z'],
  ])('reads %s as %s', (text, expected) => expect(read(text)).toBe(expected));

  it.each([
    ...[
      '',
      ' ',
      'now',
      'yesterday',
      '1',
      '1764000000',
      '1764000000000',
      '2026',
      '2026-11',
      '20261121',
      '2026-13-01',
    ],
    ...[
      '2026-02-29',
      '2026-02-30T00:00:00Z',
      '2026-11-21T24:00:00Z',
      '2026-11-21T10:60:00Z',
      '2026-11-21T10Z',
    ],
    ...['2026-11-21T10:00:00', '2026-11-21 10:00:00Z', '2026-11-21T10:00:00 1:00', '2026-11-21T10:00:00+1'],
    ...[
      '0000-01-01',
      '0001-01-01T00:00:00+01:00',
      '9999-12-31T23:59:59-01:00',
      '+12026-01-01T00:00:00Z',
      '-0001-01-01',
    ],
    ...[
      '2026-11-21T10:00:00Z\0',
      ' 2026-11-21',
      '2026-11-21T10:00:00.Z',
      "2026-11-21'; --",
      '٢٠٢٦-11-21',
      'infinity',
    ],
  ])('refuses "%s"', (text) => expect(parseInstant(text)).toBeNull());

  it('reads the text of every instant', () => {
    const micros = fc.bigInt(-62_135_596_800_000_000n, 253_402_300_799_999_999n);
    fc.assert(fc.property(micros, (value) => parseInstant(instantText(value)) === value));
  });
});

describe('parseInstant of a date', () => {
  it.each([
    ['2026-11-21', 'Asia/Shanghai', '2026-11-20T16:00:00.000000Z'],
    ['2026-11-21', 'America/New_York', '2026-11-21T05:00:00.000000Z'],
    // The days on which daylight saving time begins and ends.
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000000Z'],
    ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000000Z'],
    ['2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000000Z'],
    ['2026-11-21', 'Asia/Kolkata', '2026-11-20T18:30:00.000000Z'],
  ])('reads %s in %s as %s', (text, timeZone, expected) =>
    expect(instantText(parseInstant(text, timeZone)!)).toBe(expected),
  );

  it('leaves a time with an offset as it is', () =>
    expect(parseInstant('2026-11-21T00:00Z', 'Asia/Shanghai')).toBe(parseInstant('2026-11-21')));
});

describe('startOfMonth', () => {
  it('is midnight of the first day in UTC', () =>
    expect(instantText(startOfMonth(new Date('2026-11-30T23:59:59Z')))).toBe('2026-11-01T00:00:00.000000Z'));

  it.each([
    ['2026-10-31T15:59:59Z', 'Asia/Shanghai', '2026-09-30T16:00:00.000000Z'],
    ['2026-10-31T16:00:00Z', 'Asia/Shanghai', '2026-10-31T16:00:00.000000Z'],
    ['2026-01-01T04:59:59Z', 'America/New_York', '2025-12-01T05:00:00.000000Z'],
    ['2026-11-30T12:00:00Z', 'America/New_York', '2026-11-01T04:00:00.000000Z'],
  ])('is, at %s, midnight of the first day in %s', (now, timeZone, expected) =>
    expect(instantText(startOfMonth(new Date(now), timeZone))).toBe(expected),
  );
});
