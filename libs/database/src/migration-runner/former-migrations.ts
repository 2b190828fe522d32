import { type QueryRunner } from 'typeorm';
import { describeMigration } from '../migration';

/** The table of TypeORM. */
export const MIGRATIONS_TABLE = 'schema_migrations';

/**
 * The table in which earlier versions recorded their migrations. It stays, so that the migration command of such a version
 * finds nothing to do while hosts are upgraded one after another, instead of creating everything again.
 */
const FORMER_TABLE = 'public.migrations';

/**
 * Records the migrations that an earlier version has applied. Throws an error if one is not among the class names of this
 * version.
 */
export async function takeOverFormerMigrations(runner: QueryRunner, known: string[]): Promise<void> {
  await runner.query(`CREATE TABLE IF NOT EXISTS public.${MIGRATIONS_TABLE}
    (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, timestamp bigint NOT NULL, name text NOT NULL UNIQUE)`);
  if (!(await hasFormerTable(runner))) return;
  const former = (await runner.query(`SELECT name FROM ${FORMER_TABLE} ORDER BY id`)) as { name: string }[];
  for (const { name } of former) {
    const className = known.find((candidate) => describeMigration(candidate).name === name);
    if (!className) throw unknownMigration(name);
    await runner.query(
      `INSERT INTO public.${MIGRATIONS_TABLE} (timestamp, name) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
      [describeMigration(className).number, className],
    );
  }
}

/** Returns the class names in the table of TypeORM, oldest first; none if there is no table. */
export async function readRecordedMigrations(runner: QueryRunner): Promise<string[]> {
  if (!(await hasTable(runner, `public.${MIGRATIONS_TABLE}`))) return [];
  const rows = (await runner.query(`SELECT name FROM public.${MIGRATIONS_TABLE} ORDER BY id`)) as {
    name: string;
  }[];
  return rows.map(({ name }) => name);
}

/** Forgets a migration that is reverted. */
export async function forgetFormerMigration(runner: QueryRunner, name: string): Promise<void> {
  if (await hasFormerTable(runner)) await runner.query(`DELETE FROM ${FORMER_TABLE} WHERE name = $1`, [name]);
}

export const unknownMigration = (name: string): Error =>
  new Error(
    `The database has the migration ${name}, which this version does not know: install a newer version.`,
  );

const hasFormerTable = (runner: QueryRunner) => hasTable(runner, FORMER_TABLE);

export async function hasTable(runner: QueryRunner, table: string): Promise<boolean> {
  return ((await runner.query('SELECT WHERE to_regclass($1) IS NOT NULL', [table])) as unknown[]).length > 0;
}
