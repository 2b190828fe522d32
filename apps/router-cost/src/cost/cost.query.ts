import { BadRequestException } from '@nestjs/common';
import { z } from 'zod';
import { instant, type InstantMicros } from './instant';

/** What a report can be grouped by (spec: Router cost item). */
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

export const costQuery = z.object({
  from: instant().optional(),
  to: instant().optional(),
  group_by: groupBy.default([]),
  limit: limit.optional(),
  cursor: z.string(ONCE).optional(),
});
export type CostQuery = z.output<typeof costQuery>;

/** Half-open: `from` counts, `to` does not; without `to` everything up to now. */
export interface CostRange {
  from: InstantMicros;
  to: InstantMicros | null;
}

/** The range that a query means; without `from` it starts with the current month in UTC. */
export function rangeOf({ from, to }: Pick<CostQuery, 'from' | 'to'>): CostRange {
  const now = new Date();
  const monthStart = BigInt(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())) * 1_000n;
  const range = { from: from ?? monthStart, to: to ?? null };
  if (range.to === null || range.from < range.to) return range;
  throw new BadRequestException(
    from === undefined
      ? 'to: must be later than the start of the current month, unless from is given'
      : 'from: must be earlier than to',
  );
}
