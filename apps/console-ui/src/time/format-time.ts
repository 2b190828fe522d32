import { type Language } from '../language/language';

export type TimeDetail = 'day' | 'minute' | 'second';

interface TimeFormat {
  language: Language;
  timeZone: string;
  detail?: TimeDetail;
}

const DAY: Intl.DateTimeFormatOptions = { year: 'numeric', month: 'short', day: 'numeric' };
const MINUTE: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const FORMATS: Record<TimeDetail, Intl.DateTimeFormatOptions> = {
  day: DAY,
  minute: { ...DAY, ...MINUTE },
  second: { ...DAY, ...MINUTE, second: '2-digit' },
};

/** Day and time in digits, as in Chinese: `2026-11-28` and `02:07`. */
function digitsOf(instant: Date, { timeZone, detail = 'minute' }: Omit<TimeFormat, 'language'>) {
  const format = { ...FORMATS[detail], timeZone, month: '2-digit', day: '2-digit' } as const;
  const parts = new Intl.DateTimeFormat('en', format).formatToParts(instant);
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.find(({ type }) => type === name)?.value;
  const time = [part('hour'), part('minute'), part('second')].filter((value) => value !== undefined);
  return { day: [part('year'), part('month'), part('day')].join('-'), time: time.join(':') };
}

/** An instant in a time zone: `Nov 28, 2026, 02:07` or `2026-11-28 02:07`. What shows it names the zone. */
export function formatTime(instant: string | Date, format: TimeFormat): string {
  const { language, timeZone, detail = 'minute' } = format;
  if (language === 'zh-CN') {
    const { day, time } = digitsOf(new Date(instant), format);
    return time ? `${day} ${time}` : day;
  }
  return new Intl.DateTimeFormat(language, { ...FORMATS[detail], timeZone }).format(new Date(instant));
}

/** From one instant to another, without what both have in common: `Mar 1, 2026, 10:00 – 11:00`. */
export function formatTimeRange(start: Date, end: Date, format: TimeFormat): string {
  const { language, timeZone } = format;
  if (language !== 'zh-CN')
    return new Intl.DateTimeFormat(language, { ...FORMATS.minute, timeZone }).formatRange(start, end);
  const [first, last] = [digitsOf(start, format), digitsOf(end, format)];
  return `${first.day} ${first.time} – ${first.day === last.day ? last.time : `${last.day} ${last.time}`}`;
}

const MINUTE_MILLIS = 60_000;
const UNITS = [
  ['day', 24 * 60],
  ['hour', 60],
  ['minute', 1],
] as const;

/** A duration in its two largest units: `3 days 4 hours`. */
export function formatDuration(millis: number, language: Language): string {
  const format = (count: number, unit: string) =>
    new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
  let minutes = Math.max(0, Math.floor(millis / MINUTE_MILLIS));
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(minutes / size);
    minutes -= count * size;
    if (count > 0 && parts.length < 2) parts.push(format(count, unit));
    else if (parts.length > 0) break;
  }
  return parts.join(' ') || format(0, 'minute');
}
