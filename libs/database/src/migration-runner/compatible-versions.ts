import { type QueryRunner } from 'typeorm';
import { hasTable } from './former-migrations';

/**
 * Which versions work on the schema. The version that migrates writes the newest migration of the version before it, which works
 * on its schema; a version that has this migration is that version or a newer one. One row.
 */
const TABLE = 'public.schema_compatibility';

/** Returns the newest migration of the oldest version that works on the schema; null if no version has recorded it. */
export async function readOldestVersion(runner: QueryRunner): Promise<string | null> {
  if (!(await hasTable(runner, TABLE))) return null;
  const rows = (await runner.query(`SELECT oldest_version FROM ${TABLE}`)) as { oldest_version: string }[];
  return rows[0]?.oldest_version ?? null;
}

/** Comes before the migrations, so that a schema never has those of a version without this. */
export async function recordOldestVersion(runner: QueryRunner, newestMigration: string): Promise<void> {
  await runner.query(`CREATE TABLE IF NOT EXISTS ${TABLE}
    (id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1), oldest_version text NOT NULL)`);
  await runner.query(
    `INSERT INTO ${TABLE} (oldest_version) VALUES ($1) ON CONFLICT (id) DO UPDATE SET oldest_version = excluded.oldest_version`,
    [newestMigration],
  );
}
