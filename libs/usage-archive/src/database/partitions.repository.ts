import { type Client } from 'pg';
import { inTransaction } from './archive-session.repository';

const MILLIS_PER_DAY = 86_400_000;
/** How long a restored day waits for a lock behind which nobody waits. */
const ATTACH_LOCK_TIMEOUT = '5s';
/** As `metering.ensure_partitions` names months, and this file days. */
const PARTITION_NAME = String.raw`^usage_events_\d{4}_\d{2}(_\d{2})?$`;
/** Of tables of days that are being filled. */
const UNRESTORED_SUFFIX = '_restoring';
const UNRESTORED_NAME = String.raw`^usage_events_\d{4}_\d{2}_\d{2}${UNRESTORED_SUFFIX}$`;
const BOUND = /^FOR VALUES FROM \('([^']+)'\) TO \('([^']+)'\)$/;

const tableOf = (client: Client, name: string) => `metering.${client.escapeIdentifier(name)}`;

/** A partition of the usage events, of whole days of UTC. */
export interface Partition {
  name: string;
  from: Date;
  /** Exclusive. */
  to: Date;
}

/** The partitions in the order of time. Those that do not hold whole days, such as a default partition, are left out. */
export async function readPartitions(client: Client): Promise<Partition[]> {
  const { rows } = await client.query<{ name: string; bound: string }>(
    `SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bound
     FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'metering.usage_events'::regclass AND NOT i.inhdetachpending`,
  );
  const partitions = rows.flatMap(({ name, bound }) => {
    const [, from, to] = BOUND.exec(bound) ?? [];
    return from && to ? [{ name, from: new Date(from), to: new Date(to) }] : [];
  });
  return partitions
    .filter(({ from, to }) => isDayStart(from) && isDayStart(to))
    .sort((one, other) => one.from.getTime() - other.from.getTime());
}

const isDayStart = (at: Date) => at.getTime() % MILLIS_PER_DAY === 0;

/** Events before both times are archived. */
export interface ArchiveBounds {
  /** The start of the month `months` whole months ago. */
  dueUntil: Date;
  /** Usage is not settled into rolled-up hours, so events before it do not change any more. Null: no hour is rolled up. */
  rolledUntil: Date | null;
}

export async function readArchiveBounds(client: Client, months: number): Promise<ArchiveBounds> {
  const { rows } = await client.query<ArchiveBounds>(
    `SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => $1)) AT TIME ZONE 'UTC' AS "dueUntil",
       rolled_until AS "rolledUntil"
     FROM metering.rollup_progress`,
    [months],
  );
  return rows[0]!;
}

/**
 * Removes a partition. Settlements and reports go on: detaching waits for the transactions that use the table, and nobody waits behind
 * it. If the process dies meanwhile, `finishDetaching` and `readDetachedTables` find what is left.
 */
export async function dropPartition(client: Client, name: string): Promise<void> {
  await client.query(
    `ALTER TABLE metering.usage_events DETACH PARTITION ${tableOf(client, name)} CONCURRENTLY`,
  );
  await dropTable(client, name);
}

/** Completes what a process has left that died while it detached a partition. */
export async function finishDetaching(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'metering.usage_events'::regclass AND i.inhdetachpending`,
  );
  for (const { name } of rows)
    await client.query(
      `ALTER TABLE metering.usage_events DETACH PARTITION ${tableOf(client, name)} FINALIZE`,
    );
}

/** Tables that were partitions. */
export const readDetachedTables = (client: Client): Promise<string[]> => readTables(client, PARTITION_NAME);

/** Tables that an interrupted restore has filled in part. */
export const readUnrestoredTables = (client: Client): Promise<string[]> =>
  readTables(client, UNRESTORED_NAME);

async function readTables(client: Client, pattern: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'metering'::regnamespace AND relkind = 'r' AND NOT relispartition AND relname ~ $1`,
    [pattern],
  );
  return rows.map(({ name }) => name);
}

export async function dropTable(client: Client, name: string): Promise<void> {
  await client.query(`DROP TABLE ${tableOf(client, name)}`);
}

const partitionOfDay = (day: Date) => `usage_events_${day.toISOString().slice(0, 10).replaceAll('-', '_')}`;

/** Creates an empty table for the events of a day, which no reader sees yet, and returns its name. */
export async function createDayTable(client: Client, day: Date): Promise<string> {
  const name = `${partitionOfDay(day)}${UNRESTORED_SUFFIX}`;
  await client.query(`CREATE TABLE ${tableOf(client, name)} (LIKE metering.usage_events INCLUDING ALL)`);
  return name;
}

/** Makes the table of a day a partition, and does the work in the same transaction. */
export async function attachDayTable(
  client: Client,
  table: string,
  day: Date,
  work: () => Promise<void>,
): Promise<void> {
  const name = partitionOfDay(day);
  const following = new Date(day.getTime() + MILLIS_PER_DAY);
  await inTransaction(client, async () => {
    await client.query(`SET LOCAL lock_timeout = '${ATTACH_LOCK_TIMEOUT}'`);
    await client.query(`ALTER TABLE ${tableOf(client, table)} RENAME TO ${client.escapeIdentifier(name)}`);
    await client.query(
      `ALTER TABLE metering.usage_events ATTACH PARTITION ${tableOf(client, name)}
       FOR VALUES FROM ('${day.toISOString()}') TO ('${following.toISOString()}')`,
    );
    await work();
  });
  await client.query(`ANALYZE ${tableOf(client, name)}`);
}
