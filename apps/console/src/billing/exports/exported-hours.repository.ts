import { type Executor, newId, type Position } from '@inference/database';
import { instantText } from '@inference/time';
import { And, type FindOptionsWhere, IsNull, LessThan, MoreThanOrEqual, Not } from 'typeorm';
import { ExportedHour } from './exported-hour.entity';

/** How long an hour belongs to a process that says nothing. Chosen: longer than the storage may take for a file. */
const CLAIM_SECONDS = 180;
/** Until the next attempt at an hour. Chosen: a storage that is back is used soon, and the log stays readable. */
const RETRY_SECONDS = 300;
const MAX_ERROR_CHARS = 500;

const inSeconds = (seconds: number) => () => `clock_timestamp() + interval '${seconds} seconds'`;

/**
 * The hours that are to be exported, as (hour, due_at, error): complete ones of `[from, until)` without a row, and rows that are not done.
 * `until` is the end of the hours that are rolled up: no usage enters them, and none of them waits to be folded (see
 * `metering.roll_up_hours`). `from` is $1, or where the export has begun, or the newest of these hours; but not before the first usage or
 * transfer, and not before the end of what is only in the archive.
 */
const OPEN_HOURS = `
  bounds AS MATERIALIZED (
    SELECT p.rolled_until AS until, archived,
      greatest(
        coalesce($1::timestamptz, (SELECT min(hour) FROM billing.exported_hours), p.rolled_until - interval '1 hour'),
        date_trunc('hour', least((SELECT min(hour) FROM metering.hourly_rollup),
          (SELECT min(created_at) FROM wallet.transfers WHERE kind <> 'usage')), 'UTC'),
        archived
      ) AS "from"
    FROM metering.rollup_progress p,
      (SELECT max(day) + interval '24 hours' AS archived FROM metering.archived_days WHERE dropped_at IS NOT NULL) a
    WHERE p.rolled_until IS NOT NULL
  ), open_hours AS (
    SELECT h.hour, NULL::timestamptz AS due_at, NULL AS error
    FROM bounds, generate_series("from", until - interval '1 hour', interval '1 hour') h (hour)
    WHERE NOT EXISTS (SELECT FROM billing.exported_hours e WHERE e.hour = h.hour)
    UNION ALL
    SELECT e.hour, e.due_at, e.error FROM bounds JOIN billing.exported_hours e ON e.exported_at IS NULL AND e.hour >= coalesce(archived, '-infinity')
  )`;

/** The oldest hour that is due. Whoever comes second at the same hour gets none. */
const CLAIM = `
  WITH ${OPEN_HOURS}
  INSERT INTO billing.exported_hours AS e (hour, claim, due_at)
  SELECT hour, $2, clock_timestamp() + interval '${CLAIM_SECONDS} seconds' FROM open_hours
  WHERE due_at IS NULL OR due_at <= clock_timestamp() ORDER BY hour LIMIT 1
  ON CONFLICT (hour) DO UPDATE SET claim = excluded.claim, due_at = excluded.due_at
    WHERE e.exported_at IS NULL AND e.due_at <= clock_timestamp()
  RETURNING hour, claim, version, manifest`;

/** No row before an hour is rolled up, which is before the first usage. */
const PROGRESS = `
  WITH ${OPEN_HOURS}
  SELECT max(b.until) AS "closedUntil", count(o.hour)::integer AS "openHours", count(o.error)::integer AS "failedHours",
    greatest(0, extract(epoch FROM clock_timestamp() - interval '1 hour' - coalesce(min(o.hour), max(greatest(b.until, b."from")))))::float8 AS "lagSeconds"
  FROM bounds b LEFT JOIN open_hours o ON true HAVING count(*) > 0`;

export type ClaimedHour = Pick<ExportedHour, 'hour' | 'claim' | 'version' | 'manifest'>;
export type ExportedSums = Pick<
  ExportedHour,
  'manifest' | 'usageRows' | 'usageLineRows' | 'ledgerRows' | 'bytes' | 'costPicos' | 'ledgerPicos'
>;

/** Takes the oldest hour that is due; undefined if there is none, or if another process has just taken it. */
export async function claimHour(executor: Executor, from: Date | null): Promise<ClaimedHour | undefined> {
  return (await executor.query<ClaimedHour>(CLAIM, [from, newId('claim')])).rows[0];
}

const ofClaim = ({ hour, claim }: ClaimedHour) => ({ hour, claim, exportedAt: IsNull() });

/** Returns false if the hour belongs to another process now. */
export async function keepClaim(executor: Executor, claimed: ClaimedHour): Promise<boolean> {
  const { affected } = await executor
    .repository(ExportedHour)
    .update(ofClaim(claimed), { dueAt: inSeconds(CLAIM_SECONDS) });
  return affected === 1;
}

/** Does nothing if the hour belongs to another process now. */
export async function finishHour(
  executor: Executor,
  claimed: ClaimedHour,
  sums: ExportedSums,
): Promise<void> {
  await executor
    .repository(ExportedHour)
    .update(ofClaim(claimed), { ...sums, exportedAt: () => 'clock_timestamp()', error: null });
}

/** Leaves the hour to any process: at once, or later with the reason. */
export async function releaseHour(
  executor: Executor,
  claimed: ClaimedHour,
  error: string | null,
): Promise<void> {
  await executor.repository(ExportedHour).update(ofClaim(claimed), {
    error: error?.slice(0, MAX_ERROR_CHARS) ?? null,
    dueAt: inSeconds(error === null ? 0 : RETRY_SECONDS),
  });
}

export interface ExportProgress {
  /** The end of the hours that are rolled up; null before the first usage. */
  closedUntil: Date | null;
  /** Those that are rolled up and not exported. */
  openHours: number;
  /** Of the open ones, those whose last attempt has failed. */
  failedHours: number;
  /** How long the oldest open hour has been over, also if it is not rolled up yet. */
  lagSeconds: number;
}

export const NO_PROGRESS: ExportProgress = { closedUntil: null, openHours: 0, failedHours: 0, lagSeconds: 0 };

/** @param from as the export is configured */
export async function readProgress(executor: Executor, from: Date | null): Promise<ExportProgress> {
  return (await executor.query<ExportProgress>(PROGRESS, [from])).rows[0] ?? NO_PROGRESS;
}

/** Lets the hour be exported anew. Returns false unless it is exported. */
export async function reopenHour(executor: Executor, hour: Date): Promise<boolean> {
  const { affected } = await executor
    .repository(ExportedHour)
    .update(
      { hour, exportedAt: Not(IsNull()) },
      { version: () => 'version + 1', exportedAt: null, claim: '', dueAt: inSeconds(0) },
    );
  return affected === 1;
}

export function findHour(executor: Executor, hour: Date): Promise<ExportedHour | null> {
  return executor.repository(ExportedHour).findOneBy({ hour });
}

export const EXPORT_STATES = ['exported', 'exporting', 'failed'] as const;
export type ExportState = (typeof EXPORT_STATES)[number];

const IN_STATE: Record<ExportState, FindOptionsWhere<ExportedHour>> = {
  exported: { exportedAt: Not(IsNull()) },
  exporting: { exportedAt: IsNull(), error: IsNull() },
  failed: { exportedAt: IsNull(), error: Not(IsNull()) },
};

export const stateOf = ({ exportedAt, error }: ExportedHour): ExportState =>
  exportedAt !== null ? 'exported' : error === null ? 'exporting' : 'failed';

export interface HourFilter {
  state?: ExportState | undefined;
  /** The first hour. */
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
}

/** Newest first. */
export async function listHours(
  executor: Executor,
  { state, from, to }: HourFilter,
  after: Position | null,
  count: number,
): Promise<(ExportedHour & { position: Position })[]> {
  const end = after ? new Date(after.at) : to;
  const bounds = [...(from ? [MoreThanOrEqual(from)] : []), ...(end ? [LessThan(end)] : [])];
  const rows = await executor.repository(ExportedHour).find({
    where: { ...(state && IN_STATE[state]), ...(bounds.length > 0 && { hour: And(...bounds) }) },
    order: { hour: 'DESC' },
    take: count,
  });
  return rows.map((row) =>
    Object.assign(row, { position: { at: instantText(BigInt(row.hour.getTime()) * 1_000n), id: 'hour' } }),
  );
}
