import { type ObjectStorage } from '@inference/storage';
import { type Client } from 'pg';
import { Archive } from './archive';
import { checkEvents, checkStoredDay } from './check-day';
import { type ArchivedDayRecord, markRestored, readRecords } from './database/archived-days.repository';
import { hasEvents, insertEvents, readEvents, readRollupDays } from './database/events.repository';
import { attachDayTable, createDayTable } from './database/partitions.repository';
import { dayText, type Manifest, ManifestError, parseManifest, sha256Of } from './files/manifest';
import { readEventFile, readText } from './files/read-events';
import { finishDrops } from './export-events';

/** Days from the first to the last one (exclusive). */
interface DayRange {
  from: Date | '-infinity';
  to: Date | 'infinity';
}

/**
 * Compares the records of the archived days with the manifests in the storage, these with their files, and the files with the
 * rollup. Returns the number of days and a message for each difference.
 */
export async function verifyArchive(
  client: Client,
  storage: ObjectStorage,
  { from, to }: DayRange,
): Promise<{ days: number; faults: string[] }> {
  const archive = await Archive.open(client, storage);
  const records = await readRecords(client, from, to);
  const faults: string[] = [];
  for (const record of records) {
    const found = await verifyDay(client, archive, record);
    faults.push(...found.map((fault) => `${dayText(record.day)}: ${fault}`));
  }
  return { days: records.length, faults };
}

async function verifyDay(
  client: Client,
  archive: Archive,
  { day, manifest, manifestSha256 }: ArchivedDayRecord,
): Promise<string[]> {
  const text = await readText(archive.storage, archive.manifestKey(day));
  if (text === null) return ['manifest.json is missing'];
  const faults: string[] = [];
  if (sha256Of(manifest) !== manifestSha256)
    faults.push('the recorded manifest has another SHA-256 than recorded');
  if (text !== manifest) faults.push('manifest.json is not the recorded one');
  try {
    return [...faults, ...(await checkStoredDay(client, archive, day, parseManifest(day, text)))];
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    return [...faults, error.message];
  }
}

/**
 * Brings the events of days back into the database, from the first to the last day (exclusive). Leaves days alone whose events are
 * there. Uses the manifest in the storage also if the record of the day is lost.
 */
export async function restoreEvents(
  client: Client,
  storage: ObjectStorage,
  { from, to }: { from: Date; to: Date },
  log: (line: string) => void,
): Promise<void> {
  const archive = await Archive.open(client, storage);
  await finishDrops(client, archive, log);
  const records = new Map(
    (await readRecords(client, from, to)).map((record) => [record.day.getTime(), record]),
  );
  const used = (await readRollupDays(client, from, to)).map(({ day }) => day.getTime());
  for (const at of [...new Set([...records.keys(), ...used])].sort((one, other) => one - other)) {
    const day = new Date(at);
    const record = records.get(at);
    if (record ? !record.isDropped : await hasEvents(client, day)) continue;
    const text = await readText(storage, archive.manifestKey(day));
    if (text === null)
      throw new Error(
        record
          ? `${dayText(day)}: manifest.json is missing.`
          : `${dayText(day)}: the rollup has usage, but there are neither events nor a record nor manifest.json.`,
      );
    if (record && text !== record.manifest)
      throw new Error(
        `${dayText(day)}: manifest.json is not the recorded one. Find out which is right; without a record, restore uses manifest.json.`,
      );
    const manifest = parseManifest(day, text);
    await restoreDay(client, archive, { day, text, manifest });
    log(`Restored ${dayText(day)}: ${manifest.rows} events.`);
  }
}

/** The events appear with the record, all at once. */
async function restoreDay(
  client: Client,
  archive: Archive,
  { day, text, manifest }: { day: Date; text: string; manifest: Manifest },
): Promise<void> {
  const table = await createDayTable(client, day);
  for (const { name } of manifest.files)
    await readEventFile(archive.storage, archive.key(day, name), (lines) =>
      insertEvents(client, table, lines),
    );
  const faults = await checkEvents(readEvents(client, table, day), manifest);
  if (faults.length > 0) throw new Error(faults.map((fault) => `${dayText(day)}: ${fault}.`).join('\n'));
  await attachDayTable(client, table, day, () =>
    markRestored(client, { day, manifest: text, manifestSha256: sha256Of(text) }),
  );
}
