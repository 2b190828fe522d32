import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const FOLDER = join(__dirname, 'migrations');

/** Jest cannot load node-pg-migrate, which is an ES module. */
const RUN_MIGRATIONS = `
  const { runner } = await import('node-pg-migrate');
  const [databaseUrl, dir, direction, count] = process.argv.slice(1);
  await runner({ databaseUrl, dir, direction, count: Number(count), migrationsTable: 'migrations', log() {} });`;

/** Returns the number of migrations that come before this one. */
export function migrationsBefore(name: string): number {
  return readdirSync(FOLDER).sort().indexOf(`${name}.sql`);
}

/** Applies or reverses the next `count` migrations. */
export async function runMigrations(url: string, direction: 'up' | 'down', count: number): Promise<void> {
  const args = ['--input-type=module', '--eval', RUN_MIGRATIONS, url, FOLDER, direction, String(count)];
  await promisify(execFile)(process.execPath, args, { env: { PATH: process.env.PATH } });
}
