import { type Client } from 'pg';

/** The record of a day in the archive. */
export interface ArchivedDayRecord {
  day: Date;
  manifest: string;
  manifestSha256: string;
  /** Whether the events are only in the archive. */
  isDropped: boolean;
  isRestored: boolean;
}

const RECORDS = `SELECT day, manifest, manifest_sha256 AS "manifestSha256", dropped_at IS NOT NULL AS "isDropped",
    restored_at IS NOT NULL AS "isRestored"
  FROM metering.archived_days WHERE day >= $1 AND day < $2 ORDER BY day`;

/** In the keys of the files of this database. */
export async function readArchiveId(client: Client): Promise<string> {
  return (await client.query<{ id: string }>('SELECT id FROM metering.usage_archive')).rows[0]!.id;
}

/** The records of the days from the first to the last one (exclusive), ascending. */
export async function readRecords(
  client: Client,
  from: Date | '-infinity',
  to: Date | 'infinity',
): Promise<ArchivedDayRecord[]> {
  return (await client.query<ArchivedDayRecord>(RECORDS, [from, to])).rows;
}

/** The last day in the archive, null if there is none, and how many days are in the database again. */
export async function readArchiveExtent(
  client: Client,
): Promise<{ lastDay: Date | null; restoredDays: number }> {
  const { rows } = await client.query<{ lastDay: Date | null; restoredDays: number }>(
    `SELECT max(day) AS "lastDay", count(restored_at)::integer AS "restoredDays" FROM metering.archived_days`,
  );
  return rows[0]!;
}

/** Records a day whose events are in the storage and in the database. */
export async function insertRecord(
  client: Client,
  record: Pick<ArchivedDayRecord, 'day' | 'manifest' | 'manifestSha256'>,
): Promise<void> {
  await client.query(
    'INSERT INTO metering.archived_days (day, manifest, manifest_sha256) VALUES ($1, $2, $3)',
    [record.day, record.manifest, record.manifestSha256],
  );
}

/** From now on the days count by their manifests. */
export async function markDropped(client: Client, from: Date, to: Date): Promise<void> {
  await client.query(
    `UPDATE metering.archived_days SET dropped_at = clock_timestamp(), restored_at = NULL WHERE day >= $1 AND day < $2`,
    [from, to],
  );
}

/** From now on the day counts by its events again. Its record may have been lost. */
export async function markRestored(
  client: Client,
  record: Pick<ArchivedDayRecord, 'day' | 'manifest' | 'manifestSha256'>,
): Promise<void> {
  await client.query(
    `INSERT INTO metering.archived_days (day, manifest, manifest_sha256, restored_at) VALUES ($1, $2, $3, clock_timestamp())
     ON CONFLICT (day) DO UPDATE SET dropped_at = NULL, restored_at = excluded.restored_at`,
    [record.day, record.manifest, record.manifestSha256],
  );
}
