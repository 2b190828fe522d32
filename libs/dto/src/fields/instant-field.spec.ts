import { InstantField, TimeZoneField, validated } from '@inference/dto';
import { INSTANT_FORM, TIME_ZONE_FORM } from '@inference/time';

const description = 'A field.';

class Period {
  @InstantField({ description, optional: true })
  at?: bigint;

  @InstantField({ description, optional: true, zoneField: 'time_zone' })
  from?: bigint;

  @TimeZoneField({ description, optional: true })
  time_zone?: string;
}

/** 2026-01-31T00:00:00Z in microseconds. */
const MIDNIGHT = 1_769_817_600_000_000n;
const EIGHT_HOURS = 8n * 3_600_000_000n;

describe('a field of a point in time', () => {
  it.each<[object, object]>([
    [{ at: '2026-01-31T00:00:00Z' }, { at: MIDNIGHT }],
    [{ at: '2026-01-31T08:00:00+08:00' }, { at: MIDNIGHT }],
    [{ at: '2026-01-31T00:00:00.000001Z' }, { at: MIDNIGHT + 1n }],
    [{ at: '2026-01-31T00:00:00.000000000Z' }, { at: MIDNIGHT }],
    [{ from: '2026-01-31' }, { from: MIDNIGHT }],
    [
      { from: '2026-01-31', time_zone: 'Asia/Shanghai' },
      { from: MIDNIGHT - EIGHT_HOURS, time_zone: 'Asia/Shanghai' },
    ],
    [
      { from: '2026-01-31T00:00:00Z', time_zone: 'Asia/Shanghai' },
      { from: MIDNIGHT, time_zone: 'Asia/Shanghai' },
    ],
  ])('takes %j', async (value, expected) => {
    expect({ ...(await validated(Period, value)) }).toEqual(expected);
  });

  it.each<[object, string]>([
    [{ at: '2026-01-31T00:00:00' }, `at: ${INSTANT_FORM}`],
    [{ at: '2026-02-30T00:00:00Z' }, `at: ${INSTANT_FORM}`],
    [{ at: '2026-01-31T24:00:00Z' }, `at: ${INSTANT_FORM}`],
    [{ at: '2026-01-31T00:00:00.Z' }, `at: ${INSTANT_FORM}`],
    [{ at: '' }, `at: ${INSTANT_FORM}`],
    [{ at: 1_769_817_600 }, `at: ${INSTANT_FORM}`],
    [{ at: {} }, `at: ${INSTANT_FORM}`],
    [{ at: ['2026-01-31T00:00:00Z'] }, 'at: must be given once'],
    [{ at: null }, 'at: must not be null'],
    [{ time_zone: 'Mars/Olympus' }, `time_zone: ${TIME_ZONE_FORM}`],
    [{ time_zone: '' }, `time_zone: ${TIME_ZONE_FORM}`],
    [{ time_zone: ['UTC', 'UTC'] }, 'time_zone: must be given once'],
    [{ from: '2026-01-31', time_zone: 'constructor' }, `time_zone: ${TIME_ZONE_FORM}`],
  ])('refuses %j', async (value, message) => {
    await expect(validated(Period, value)).rejects.toThrow(message);
  });
});
