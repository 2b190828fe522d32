import { BadRequestException } from '@nestjs/common';
import { type InstantMicros, startOfMonth } from '@inference/time';
import { type CostQuery } from './cost.dto';

/** Half-open: includes `from`, excludes `to`. `to` null: up to now. */
export interface CostRange {
  from: InstantMicros;
  to: InstantMicros | null;
}

/** Returns the range of a query; `from` defaults to the start of the month. Throws 400 for an empty range. */
export function rangeOf({
  from,
  to,
  time_zone: zone,
}: Pick<CostQuery, 'from' | 'to' | 'time_zone'>): CostRange {
  const range = { from: from ?? startOfMonth(new Date(), zone), to: to ?? null };
  if (range.to === null || range.from < range.to) return range;
  throw new BadRequestException(
    from === undefined
      ? 'to: must be later than the start of the current month, unless from is given'
      : 'from: must be earlier than to',
  );
}
