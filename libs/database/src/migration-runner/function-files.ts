import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type QueryRunner } from 'typeorm';
import { hasTable } from './former-migrations';

/** One file for each function, with its grants and triggers: `<schema>/<function>.sql`. */
const FOLDER = join(__dirname, '../functions');

/** The installed text of each file. */
const TABLE = 'public.schema_functions';

export interface FunctionFile {
  /** Such as `metering/settle.sql`. */
  name: string;
  sql: string;
  /** Hexadecimal, of the text. */
  sha256: string;
}

export function readFunctionFiles(): FunctionFile[] {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.sql'),
  );
  return names.sort().map((name) => {
    const sql = readFileSync(join(FOLDER, name), 'utf8');
    return { name, sql, sha256: sha256(sql) };
  });
}

/** One digest of all files. */
export const digestOf = (files: FunctionFile[]): string =>
  sha256(files.map((file) => `${file.name} ${file.sha256}\n`).join(''));

/** Returns the files whose text the database does not have. */
export async function findOutdatedFunctions(
  runner: QueryRunner,
  files: FunctionFile[],
): Promise<FunctionFile[]> {
  if (!(await hasTable(runner, TABLE))) return files;
  const rows = (await runner.query(`SELECT file, sha256 FROM ${TABLE}`)) as {
    file: string;
    sha256: string;
  }[];
  const installed = new Map(rows.map((row) => [row.file, row.sha256]));
  return files.filter(({ name, sha256: wanted }) => installed.get(name) !== wanted);
}

/** Creates or replaces the function and its triggers. Needs a transaction. */
export async function installFunction(runner: QueryRunner, file: FunctionFile): Promise<void> {
  // Functions call one another, whichever comes first.
  await runner.query('SET LOCAL check_function_bodies = off');
  await runner.query(file.sql);
  await runner.query(`CREATE TABLE IF NOT EXISTS ${TABLE} (file text PRIMARY KEY, sha256 text NOT NULL)`);
  await runner.query(
    `INSERT INTO ${TABLE} (file, sha256) VALUES ($1, $2) ON CONFLICT (file) DO UPDATE SET sha256 = excluded.sha256`,
    [file.name, file.sha256],
  );
}

/** Lets `findOutdatedFunctions` return all files: a migration that is reverted takes functions with it. */
export async function forgetFunctions(runner: QueryRunner): Promise<void> {
  await runner.query(`DROP TABLE IF EXISTS ${TABLE}`);
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
