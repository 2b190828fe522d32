import { type Sql } from '@inference/database';

export type Topic = 'models' | 'releases' | 'changelog' | 'prices';

/** An HTTP date has a resolution of one second: a later change within the same second would get the same date. */
const READ_LAST_CHANGE = `
  SELECT changed_at FROM catalogue.changes
  WHERE topic = $1 AND date_trunc('second', changed_at) < date_trunc('second', clock_timestamp())`;
/** Read as text, because a Date has no microseconds. */
const READ_VERSION = 'SELECT changed_at::text AS version FROM catalogue.changes WHERE topic = $1';

/**
 * When a public part of the catalogue last changed, removals included. Returns null before the first change and within
 * the second of a change. Call it before reading the content: the content may then be newer than its date, never older.
 */
export async function readLastChange(sql: Sql, topic: Topic): Promise<Date | null> {
  const { rows } = await sql.query<{ changed_at: Date }>(READ_LAST_CHANGE, [topic]);
  return rows[0]?.changed_at ?? null;
}

/** A text that differs after every change of the topic; undefined before the first change. */
export async function readTopicVersion(sql: Sql, topic: Topic): Promise<string | undefined> {
  const { rows } = await sql.query<{ version: string }>(READ_VERSION, [topic]);
  return rows[0]?.version;
}
