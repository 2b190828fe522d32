import { BadRequestException } from '@nestjs/common';
import { z } from 'zod';
import { type InstantMicros, parseInstant, startOfMonth } from '@inference/time';

/** The dimensions by which a report can be grouped (spec: Router cost item). */
export const DIMENSIONS = ['user', 'model', 'entrypoint'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

const MAX_LIMIT = 100;
const ONCE = 'must be given only once';

function isDimension(name: string): name is Dimension {
  return DIMENSIONS.some((dimension) => dimension === name);
}

const groupBy = z.string(ONCE).transform((text, context): Dimension[] => {
  const names = text.split(',');
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

/** A query parameter that is an ISO 8601 instant. */
export const instant = () =>
  z.string(ONCE).transform((text, context): InstantMicros => {
    const micros = parseInstant(text);
    if (micros !== null) return micros;
    context.addIssue({ code: 'custom', message: 'must be an ISO 8601 instant such as 2026-01-31T00:00:00Z' });
    return z.NEVER;
  });

export const costQuery = z.object({
  from: instant().optional(),
  to: instant().optional(),
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

/** Returns the range of a query; `from` defaults to the start of the month in UTC. Throws 400 for an empty range. */
export function rangeOf({ from, to }: Pick<CostQuery, 'from' | 'to'>): CostRange {
  const range = { from: from ?? startOfMonth(new Date()), to: to ?? null };
  if (range.to === null || range.from < range.to) return range;
  throw new BadRequestException(
    from === undefined
      ? 'to: must be later than the start of the current month, unless from is given'
      : 'from: must be earlier than to',
  );
}
