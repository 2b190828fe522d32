import { z } from 'zod';

/** Microseconds since 1970 in UTC: events are dated to the microsecond. */
export type InstantMicros = bigint;

const DATE = z.iso.date();
const DATE_TIME = z.iso.datetime({ offset: true });
const MIN_MICROS = BigInt(Date.parse('0001-01-01T00:00:00Z')) * 1_000n;
const END_MICROS = BigInt(Date.UTC(10_000, 0)) * 1_000n;

/** The text with what ISO 8601 allows to leave out: the time of a date, the seconds of a time. */
function complete(text: string): string {
  if (DATE.safeParse(text).success) return `${text}T00:00:00Z`;
  return text.replace(/(T\d{2}:\d{2})(?=Z|[+-])/, '$1:00');
}

/** Bounds compare with whole microseconds, so a finer one counts as the next microsecond. */
function toMicros(dateTime: string): InstantMicros {
  const fraction = /\.(\d+)/.exec(dateTime)?.[1] ?? '';
  const millis = Date.parse(dateTime.replace(/\.\d+/, ''));
  const finer = /[1-9]/.test(fraction.slice(6)) ? 1n : 0n;
  return BigInt(millis) * 1_000n + BigInt(fraction.slice(0, 6).padEnd(6, '0')) + finer;
}

/** An ISO 8601 instant: a date (its start in UTC), or a date and time with `Z` or an offset. */
export const instant = () =>
  z.string('must be given only once').transform((text, context): InstantMicros => {
    const dateTime = complete(text);
    const micros = DATE_TIME.safeParse(dateTime).success ? toMicros(dateTime) : undefined;
    if (micros !== undefined && micros >= MIN_MICROS && micros < END_MICROS) return micros;
    context.addIssue({ code: 'custom', message: 'must be an ISO 8601 instant such as 2026-01-31T00:00:00Z' });
    return z.NEVER;
  });

/** As PostgreSQL reads it, exactly. */
export function instantText(micros: InstantMicros): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const wholeSeconds = new Date(Number((micros - fraction) / 1_000n)).toISOString().slice(0, 19);
  return `${wholeSeconds}.${fraction.toString().padStart(6, '0')}Z`;
}
