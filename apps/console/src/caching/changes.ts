import { type Sql } from '@inference/database';

export type Topic = 'models' | 'releases' | 'changelog' | 'prices';

/** HTTP dates count seconds: within the same one a later change would look like this one. */
const READ = `
  SELECT changed_at FROM catalogue.changes
  WHERE topic = $1 AND date_trunc('second', changed_at) < date_trunc('second', clock_timestamp())`;

/**
 * When a public part of the catalogue was last changed, removals included; null before the first time, and within the
 * second of a change. To be read before what it dates, which may then be newer than its date, and never older.
 */
export async function readChange(sql: Sql, topic: Topic): Promise<Date | null> {
  const { rows } = await sql.query<{ changed_at: Date }>(READ, [topic]);
  return rows[0]?.changed_at ?? null;
}
