import { type Client } from 'pg';
import { type Archive } from './archive';
import { checkEvents, checkStoredDay } from './check-day';
import { type ArchivedDayRecord } from './database/archived-days.repository';
import { readEvents } from './database/events.repository';
import { dayText, parseManifest, sha256Of } from './files/manifest';
import { readText } from './files/read-events';

/** Throws an error unless record, files and events of a day agree. */
export async function refuseDifferences(
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
export function throwFaults(day: Date, faults: string[]): void {
  if (faults.length > 0) throw new Error(faults.map((fault) => `${dayText(day)}: ${fault}`).join('\n'));
}
