import { hasWholeHourOffsets, isTimeZone } from './time-zone';

describe('isTimeZone', () => {
  it.each([
    'UTC',
    'Asia/Shanghai',
    'Europe/Berlin',
    'America/Argentina/Buenos_Aires',
    'Etc/GMT+8',
    'Asia/Kolkata',
  ])('knows %s', (name) => expect(isTimeZone(name)).toBe(true));

  // PostgreSQL reads these, and some with another meaning: +08:00 is west of Greenwich, and IST is in Israel.
  it.each([
    '',
    'IST',
    'PST',
    '+08:00',
    'UTC+8',
    'Asia/Nowhere',
    'SystemV/EST5',
    'Asia/Shanghai ',
    '../etc/passwd',
    'UTC\0',
    'local',
  ])('refuses "%s"', (name) => expect(isTimeZone(name)).toBe(false));
});

describe('hasWholeHourOffsets', () => {
  it.each(['UTC', 'Asia/Shanghai', 'Europe/Berlin', 'America/New_York'])('is true for %s', (name) =>
    expect(hasWholeHourOffsets(name)).toBe(true),
  );
  // Lord Howe's summer is whole hours ahead of UTC, and its winter is not.
  it.each(['Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/St_Johns'])(
    'is false for %s',
    (name) => expect(hasWholeHourOffsets(name)).toBe(false),
  );
});
