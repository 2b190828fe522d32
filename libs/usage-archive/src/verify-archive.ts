import { type ObjectStorage } from '@inference/storage';
import { type Client } from 'pg';
import { Archive } from './archive';
import { checkStoredDay } from './check-day';
import { type ArchivedDayRecord, readRecords } from './database/archived-days.repository';
import { dayText, ManifestError, parseManifest, sha256Of } from './files/manifest';
import { readText } from './files/read-events';

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
