import { type Executor } from '@inference/database';
import { type TimeBuckets } from '../reports/time-buckets';
import { findArchivedHour, type UsageOwner } from './archived-days.repository';

const HOUR_CHARS = 'yyyy-mm-ddThh'.length;

/** What a report has read. */
interface ReadPeriod extends UsageOwner {
  /** ISO 8601 in UTC. */
  from: string;
  /** ISO 8601 in UTC; null: up to now. */
  to: string | null;
  buckets: Pick<TimeBuckets, 'splitHours'> | null;
}

/**
 * Names the fault of a report that needed the single events of an hour and did not get them, because they are archived; null if it has
 * none. To be asked after the report was read: events leave the database only after they are marked as archived.
 */
export async function archivedHourFault(
  executor: Executor,
  { from, to, buckets, ...owner }: ReadPeriod,
): Promise<string | null> {
  const bounds = [from, ...(to === null ? [] : [to])].filter(isWithinHour).map(hourOf);
  const hours = [...bounds, ...(buckets?.splitHours ?? [])];
  const archived = hours.length > 0 ? await findArchivedHour(executor, hours, owner) : null;
  if (!archived) return null;
  const hour = archived.toISOString().replace('.000Z', 'Z');
  const rule = `the usage of ${hour} is archived, and known for the whole hour only`;
  if (hourOf(from) === hour && isWithinHour(from)) return `from: ${rule}: begin on an hour of UTC`;
  if (to !== null && hourOf(to) === hour && isWithinHour(to)) return `to: ${rule}: end on an hour of UTC`;
  return `time_zone: ${rule}: use a time zone that is whole hours from UTC`;
}

const hourOf = (at: string) => `${at.slice(0, HOUR_CHARS)}:00:00Z`;
/** Also for microseconds. */
const isWithinHour = (at: string) => /[1-9]/.test(at.slice(HOUR_CHARS));
