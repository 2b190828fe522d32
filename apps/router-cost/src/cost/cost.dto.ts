import { BadRequestException } from '@nestjs/common';
import { z } from 'zod';
import {
  INSTANT_FORM,
  type InstantMicros,
  isTimeZone,
  parseInstant,
  startOfMonth,
  TIME_ZONE_FORM,
} from '@inference/time';

/** The dimensions by which a report can be grouped (spec: Router cost item). */
export const DIMENSIONS = ['user', 'model', 'entrypoint'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

const MAX_LIMIT = 100;
const ONCE = 'must be given only once';

function isDimension(name: string): name is Dimension {
  return DIMENSIONS.some((dimension) => dimension === name);
}

const groupBy = z.string(ONCE).transform((text, context): Dimension[] => {
  if (text.trim() === '') return [];
  const names = text.split(',').map((name) => name.trim());
  const dimensions = names.filter(isDimension);
  if (dimensions.length === names.length && new Set(names).size === names.length) return dimensions;
  context.addIssue({
    code: 'custom',
    message: `must list some of ${DIMENSIONS.join(', ')}, each at most once`,
  });
  return z.NEVER;
});

const limit = z
  .string(ONCE)
  .refine(
    (text) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_LIMIT,
    `must be a whole number from 1 to ${MAX_LIMIT}`,
  )
  .transform(Number);

const instant = z.string(ONCE).refine((text) => parseInstant(text) !== null, INSTANT_FORM);

export const costQuery = z.object({
  from: instant.optional(),
  to: instant.optional(),
  /** The zone of a `from` or `to` that is a date, and of the month in which `from` begins by default. */
  time_zone: z.string(ONCE).refine(isTimeZone, TIME_ZONE_FORM).default('UTC'),
  group_by: groupBy.default([]),
  limit: limit.optional(),
  cursor: z.string(ONCE).optional(),
});
export type CostQuery = z.output<typeof costQuery>;

/** Half-open: includes `from`, excludes `to`. `to` null: up to now. */
export interface CostRange {
  from: InstantMicros;
  to: InstantMicros | null;
}

/** The first day of the year 1 may begin before that year in UTC. */
function parse(name: string, text: string, timeZone: string): InstantMicros {
  const micros = parseInstant(text, timeZone);
  if (micros === null) throw new BadRequestException(`${name}: ${INSTANT_FORM}`);
  return micros;
}

/** Returns the range of a query; `from` defaults to the start of the month. Throws 400 for an empty range. */
export function rangeOf({
  from,
  to,
  time_zone: zone,
}: Pick<CostQuery, 'from' | 'to' | 'time_zone'>): CostRange {
  const range = {
    from: from === undefined ? startOfMonth(new Date(), zone) : parse('from', from, zone),
    to: to === undefined ? null : parse('to', to, zone),
  };
  if (range.to === null || range.from < range.to) return range;
  throw new BadRequestException(
    from === undefined
      ? 'to: must be later than the start of the current month, unless from is given'
      : 'from: must be earlier than to',
  );
}
