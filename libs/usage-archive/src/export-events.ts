import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type ObjectStorage, partBytesOf } from '@inference/storage';
import { type Client } from 'pg';
import { Archive } from './archive';
import { checkEvents, checkStoredDay } from './check-day';
import {
  type ArchivedDayRecord,
  insertRecord,
  markDropped,
  readArchiveExtent,
  readRecords,
} from './database/archived-days.repository';
import { type EventRow, readDays, readEvents, readRollupDays } from './database/events.repository';
import {
  type ArchiveBounds,
  dropPartition,
  dropTable,
  finishDetaching,
  type Partition,
  readArchiveBounds,
  readDetachedTables,
  readPartitions,
  readUnrestoredTables,
} from './database/partitions.repository';
import { EventCursor, type EventRun } from './files/event-cursor';
import {
  dayText,
  type Manifest,
  type ManifestFile,
  manifestTextOf,
  parseManifest,
  sha256Of,
  sumTexts,
} from './files/manifest';
import { readText } from './files/read-events';

/** Also for files whose size is not known before: 10,000 such parts are 160 GB. */
const PART_BYTES = partBytesOf(0);

/**
 * Writes the events of a day into files, each of which ends with the events of an account. Replaces files that an interrupted
 * export has left. After an error nothing is removed: the lock may be lost, and the files those of the next run.
 *
 * @param fileRows after which the next account begins a new file
 */
export async function writeEvents(
  archive: Archive,
  day: Date,
  batches: AsyncGenerator<EventRow[]>,
  fileRows: number,
): Promise<ManifestFile[]> {
  const files: ManifestFile[] = [];
  const cursor = new EventCursor(batches);
  try {
    while (await cursor.next()) {
      const name = `accounts-${String(files.length + 1).padStart(4, '0')}.ndjson.gz`;
      const run = cursor.run((count, last, next) => count < fileRows || next.accountId === last.accountId);
      const { stored, written } = await storeCompressed(archive.storage, archive.key(day, name), run);
      files.push({
        name,
        ...stored,
        content_sha256: written.contentSha256,
        first_account_id: written.first.accountId,
        last_account_id: written.last.accountId,
        first_request_id: written.first.requestId,
        last_request_id: written.last.requestId,
        ...sumTexts(written.sums),
      });
    }
    return files;
  } finally {
    await batches.return(undefined);
  }
}

interface StoredFile {
  bytes: number;
  sha256: string;
}

/** Compresses the lines and stores them while they are read. */
async function storeCompressed(
  storage: ObjectStorage,
  key: string,
  run: AsyncGenerator<Buffer, EventRun>,
): Promise<{ stored: StoredFile; written: EventRun }> {
  await storage.remove(key);
  const uploadId = await storage.beginParts(key);
  let written: EventRun | undefined;
  let stored: StoredFile | undefined;
  await pipeline(
    async function* () {
      written = yield* run;
    },
    createGzip(),
    async (compressed: AsyncIterable<Buffer>) => {
      stored = await storeParts(storage, { key, uploadId }, compressed);
    },
  );
  return { stored: stored!, written: written! };
}

async function storeParts(
  storage: ObjectStorage,
  upload: { key: string; uploadId: string },
  content: AsyncIterable<Buffer>,
): Promise<StoredFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  let parts = 0;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  const file = () => ({ ...upload, sizeBytes: bytes, partBytes: PART_BYTES });
  const writePart = async () => {
    const all = Buffer.concat(waiting);
    await storage.writePart(file(), (parts += 1), all.subarray(0, PART_BYTES));
    waiting = [all.subarray(PART_BYTES)];
    waitingBytes = waiting[0]!.length;
  };
  for await (const chunk of content) {
    hash.update(chunk);
    bytes += chunk.length;
    waiting.push(chunk);
    waitingBytes += chunk.length;
    while (waitingBytes >= PART_BYTES) await writePart();
  }
  if (waitingBytes > 0) await writePart();
  await storage.joinParts(file());
  return { bytes, sha256: hash.digest('hex') };
}

/** Chosen: some 20 MB compressed, 200 MB of text. A file ends with an account, so it may be larger. */
const FILE_ROWS = 250_000;

export interface ExportOptions {
  /** How many whole months of events stay in the database besides the running one. */
  months: number;
  /** Whether days that were restored are removed again. */
  includesRestored: boolean;
  log: (line: string) => void;
  fileRows?: number;
}

/** What is archived after an export. */
export interface ExportResult extends ArchiveBounds {
  lastDay: Date | null;
  restoredDays: number;
}

/**
 * Writes the events of old partitions to the storage, reads them back, and removes the partitions. Goes on where an interrupted
 * run has ended. Throws an error and removes nothing of a partition whose events, files and rollup do not agree.
 */
export async function exportEvents(
  client: Client,
  storage: ObjectStorage,
  options: ExportOptions,
): Promise<ExportResult> {
  const archive = await Archive.open(client, storage);
  await finishDrops(client, archive, options.log);
  const bounds = await readArchiveBounds(client, options.months);
  const { dueUntil, rolledUntil } = bounds;
  for (const partition of await readPartitions(client)) {
    if (rolledUntil === null || partition.to > rolledUntil || partition.to > dueUntil) break;
    await archivePartition(client, archive, partition, options);
  }
  return { ...bounds, ...(await readArchiveExtent(client)) };
}

async function archivePartition(
  client: Client,
  archive: Archive,
  { name, from, to }: Partition,
  { includesRestored, log, fileRows = FILE_ROWS }: ExportOptions,
): Promise<void> {
  const records = await readRecords(client, from, to);
  if (!includesRestored && records.some(({ isRestored }) => isRestored)) return;
  const days = await readDays(client, name);
  await refuseUsageWithoutEvents(client, { name, from, to }, days);
  const recorded = new Set(records.map(({ day }) => day.getTime()));
  for (const day of days.filter((day) => !recorded.has(day.getTime()))) {
    const manifest = await archiveDay(client, archive, name, day, fileRows);
    log(`Archived ${dayText(day)}: ${manifest.rows} events in ${manifest.files.length} files.`);
  }
  for (const record of records) await refuseDifferences(client, archive, name, record);
  await markDropped(client, from, to);
  await dropPartition(client, name);
  log(`Removed ${name}.`);
}

/** A partition whose events are missing is not "archived" by removing it. */
async function refuseUsageWithoutEvents(client: Client, partition: Partition, days: Date[]): Promise<void> {
  const present = new Set(days.map((day) => day.getTime()));
  for (const { day } of await readRollupDays(client, partition.from, partition.to))
    if (!present.has(day.getTime()))
      throw new Error(
        `${dayText(day)}: the rollup has usage, but ${partition.name} has no events. Run npm run reconcile.`,
      );
}

/** Stores and records a day. Its files are read back before the manifest is written, which is the last object of the day. */
async function archiveDay(
  client: Client,
  archive: Archive,
  table: string,
  day: Date,
  fileRows: number,
): Promise<Manifest> {
  const { storage } = archive;
  const key = archive.manifestKey(day);
  let text = await readText(storage, key);
  if (text === null) {
    text = manifestTextOf(day, await writeEvents(archive, day, readEvents(client, table, day), fileRows));
    throwFaults(day, await checkStoredDay(client, archive, day, parseManifest(day, text)));
    // What an interrupted write has left.
    await storage.remove(key);
    const content = Buffer.from(text);
    await storage.write(key, Readable.from([content]), content.length);
  } else {
    // A run that died before it recorded the day, or a copy of this database with the same storage.
    throwFaults(day, await checkStoredDay(client, archive, day, parseManifest(day, text)));
  }
  const manifest = parseManifest(day, text);
  throwFaults(day, await checkEvents(readEvents(client, table, day), manifest));
  if ((await readText(storage, key)) !== text) throwFaults(day, ['the manifest was not stored as written']);
  await insertRecord(client, { day, manifest: text, manifestSha256: sha256Of(text) });
  return manifest;
}

/**
 * Removes what a process has left in the database that died while it removed or restored events. Throws an error and leaves a table
 * alone whose events are not in the storage any more.
 */
export async function finishDrops(
  client: Client,
  archive: Archive,
  log: (line: string) => void,
): Promise<void> {
  await finishDetaching(client);
  for (const name of await readUnrestoredTables(client)) await dropTable(client, name);
  for (const { name, from, to } of await readPartitions(client)) {
    if (!(await readRecords(client, from, to)).some(({ isDropped }) => isDropped)) continue;
    if (await isArchived(client, archive, name)) await dropPartition(client, name);
  }
  for (const name of await readDetachedTables(client)) {
    if (await isArchived(client, archive, name)) await dropTable(client, name);
    else
      log(`metering.${name} is no partition and has events that are not in the archive: it is left alone.`);
  }
}

/** Whether all days of the table's events count by the archive. Throws an error if the storage has not got these events. */
async function isArchived(client: Client, archive: Archive, table: string): Promise<boolean> {
  const days = await readDays(client, table);
  const records: ArchivedDayRecord[] = [];
  for (const day of days) {
    const [record] = await readRecords(client, day, new Date(day.getTime() + 1));
    if (!record?.isDropped) return false;
    records.push(record);
  }
  for (const record of records) await refuseDifferences(client, archive, table, record);
  return true;
}

/** Throws an error unless record, files and events of a day agree. */
async function refuseDifferences(
  client: Client,
  archive: Archive,
  table: string,
  record: ArchivedDayRecord,
): Promise<void> {
  const { day } = record;
  const text = await readText(archive.storage, archive.manifestKey(day));
  if (text !== record.manifest || sha256Of(text) !== record.manifestSha256)
    throwFaults(day, ['the manifest in the storage is not the recorded one']);
  const manifest = parseManifest(day, record.manifest);
  throwFaults(day, await checkStoredDay(client, archive, day, manifest));
  throwFaults(day, await checkEvents(readEvents(client, table, day), manifest));
}

/** Throws an error if there are messages. */
function throwFaults(day: Date, faults: string[]): void {
  if (faults.length > 0) throw new Error(faults.map((fault) => `${dayText(day)}: ${fault}`).join('\n'));
}
