import { type Client } from 'pg';
import { type Archive } from './archive';
import { type ArchivedDayRecord, readRecords } from './database/archived-days.repository';
import { readDays } from './database/events.repository';
import {
  dropPartition,
  dropTable,
  finishDetaching,
  readDetachedTables,
  readPartitions,
  readUnrestoredTables,
} from './database/partitions.repository';
import { refuseDifferences } from './refuse-differences';

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
