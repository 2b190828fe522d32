import { type Client } from 'pg';
import { areAllDropped, readRecords } from './database/archived-days.repository';
import {
  dropPartition,
  dropTable,
  finishDetaching,
  readDetachedTables,
  readPartitions,
} from './database/partitions.repository';

/** Removes what a process has left in the database that died while it removed or restored events. */
export async function finishDrops(client: Client, log: (line: string) => void): Promise<void> {
  await finishDetaching(client);
  for (const { name, from, to } of await readPartitions(client)) {
    const records = await readRecords(client, from, to);
    if (records.some(({ isDropped }) => isDropped) && (await areAllDropped(client, name)))
      await dropPartition(client, name);
  }
  for (const name of await readDetachedTables(client)) {
    if (await areAllDropped(client, name)) await dropTable(client, name);
    else
      log(`metering.${name} is no partition and has events that are not in the archive: it is left alone.`);
  }
}
