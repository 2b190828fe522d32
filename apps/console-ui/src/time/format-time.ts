import { type Language } from '../language/language';

export type TimeDetail = 'day' | 'minute' | 'second';

const FORMATS: Record<TimeDetail, Intl.DateTimeFormatOptions> = {
  day: { year: 'numeric', month: 'short', day: 'numeric' },
  minute: {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  },
  second: {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  },
};

/** From one instant to another, without what both have in common: `Mar 1, 2026, 10:00 – 11:00 UTC`. */
export function formatTimeRange(
  start: Date,
  end: Date,
  { language, timeZone }: { language: Language; timeZone: string },
): string {
  const format = { ...FORMATS.minute, timeZone, timeZoneName: 'short' } as const;
  return new Intl.DateTimeFormat(language, format).formatRange(start, end);
}

/** An instant (ISO 8601) in a time zone, which it names. */
export function formatTime(
  instant: string,
  { language, timeZone, detail = 'minute' }: { language: Language; timeZone: string; detail?: TimeDetail },
): string {
  const format = { ...FORMATS[detail], timeZone, timeZoneName: 'short' } as const;
  return new Intl.DateTimeFormat(language, format).format(new Date(instant));
}
