import { type Schemas } from '../../api/console-api';
import { addDays, isDay } from '../../time/calendar-day';
import { withoutGaps } from '../usage/usage-search';

export type ExportedHour = Schemas['ExportedHourResponse'];
export type ExportProgress = Schemas['ExportProgressResponse'];

export const EXPORT_STATES = ['exported', 'exporting', 'failed'] as const;

/** What the address of the page holds. */
export interface ExportSearch {
  state?: (typeof EXPORT_STATES)[number];
  /** In UTC. */
  day?: string;
}

/** Reads the address. What is not understood is left out. */
export const exportSearchIn = ({ state, day }: Record<string, unknown>): ExportSearch =>
  withoutGaps({
    state: EXPORT_STATES.find((known) => known === state),
    day: isDay(day) ? day : undefined,
  });

/** The parameters of the service. */
export const parametersOf = ({ state, day }: ExportSearch) => ({
  ...(state && { state }),
  ...(day !== undefined && { from: `${day}T00:00:00Z`, to: `${addDays(day, 1)}T00:00:00Z` }),
});

/** An hour is closed about two minutes after its end. Chosen: some turns of the jobs may be late. */
const LATE_SECONDS = 900;

export type Standing = 'off' | 'unbegun' | 'failed' | 'behind' | 'late' | 'current';

/** How the export is doing: what it waits for, unless it is `current`. */
export function standingOf(progress: ExportProgress): Standing {
  if (!progress.enabled) return 'off';
  if (progress.closed_until === null) return 'unbegun';
  if (!progress.failed_hours.isZero) return 'failed';
  if (!progress.open_hours.isZero) return 'behind';
  return progress.lag_seconds.toScreenNumber() > LATE_SECONDS ? 'late' : 'current';
}

const DIFFERENCE = /^The hour differs from the books\. (.*)$/s;

/** Why an hour has failed, and what the service says beyond that. */
export function faultOf(error: string): { kind: 'storage' | 'books' | 'other'; detail: string } {
  if (error === 'storage unavailable') return { kind: 'storage', detail: '' };
  const [, differences] = DIFFERENCE.exec(error) ?? [];
  return differences === undefined
    ? { kind: 'other', detail: error }
    : { kind: 'books', detail: differences };
}
