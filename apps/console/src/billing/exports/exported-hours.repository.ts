import { type Executor, newId, type Position } from '@inference/database';
import { instantText } from '@inference/time';
import { IsNull, LessThan, Not } from 'typeorm';
import { ExportedHour } from './exported-hour.entity';

/** How long an hour belongs to a process that says nothing. Chosen: longer than the storage may take for a file. */
const CLAIM_SECONDS = 180;
/** Until the next attempt at an hour. Chosen: a storage that is back is used soon, and the log stays readable. */
const RETRY_SECONDS = 300;
const MAX_ERROR_CHARS = 500;

const inSeconds = (seconds: number) => () => `clock_timestamp() + interval '${seconds} seconds'`;

/**
 * The hours that are to be exported, as (hour, due_at): complete ones of `[from, until)` without a row, and rows that are not done.
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
    SELECT h.hour, NULL::timestamptz AS due_at
    FROM bounds, generate_series("from", until - interval '1 hour', interval '1 hour') h (hour)
    WHERE NOT EXISTS (SELECT FROM billing.exported_hours e WHERE e.hour = h.hour)
    UNION ALL
    SELECT e.hour, e.due_at FROM bounds JOIN billing.exported_hours e ON e.exported_at IS NULL AND e.hour >= coalesce(archived, '-infinity')
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

/** How long the oldest open hour has been over, also if it is not rolled up yet. */
const LAG = `
  WITH ${OPEN_HOURS}
  SELECT greatest(0, extract(epoch FROM clock_timestamp() - interval '1 hour' - coalesce(min(o.hour), max(greatest(b.until, b."from")))))::float8 AS seconds
  FROM bounds b LEFT JOIN open_hours o ON true`;

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

/** 0 as long as no hour is rolled up, which is before the first usage. */
export async function readLagSeconds(executor: Executor, from: Date | null): Promise<number> {
  return (await executor.query<{ seconds: number | null }>(LAG, [from])).rows[0]!.seconds ?? 0;
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

/** Newest first. */
export async function listHours(
  executor: Executor,
  after: Position | null,
  count: number,
): Promise<(ExportedHour & { position: Position })[]> {
  const rows = await executor.repository(ExportedHour).find({
    where: after ? { hour: LessThan(new Date(after.at)) } : {},
    order: { hour: 'DESC' },
    take: count,
  });
  return rows.map((row) =>
    Object.assign(row, { position: { at: instantText(BigInt(row.hour.getTime()) * 1_000n), id: 'hour' } }),
  );
}
