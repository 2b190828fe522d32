import {
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  existsSync,
} from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@inference/testing';
import { Client } from 'pg';
import { PostgresProcess } from '../site/postgres-process';
import { listBase, runCommand, startCommand } from './restored-database';

/** In kB a second. An empty database takes about 20 seconds. */
const SLOWLY = ['--max-rate', '2000'];

let postgres: PostgresProcess;
let url: string;
let backupDir: string;
let target: string;

beforeAll(async () => {
  postgres = await PostgresProcess.createArchiving();
  url = await postgres.start();
  backupDir = postgres.backupDir!;
});
afterAll(() => postgres?.remove());
beforeEach(() => (target = mkdtempSync(join(postgres.dataDir, '../target-'))));
/** Each test takes the base backups that it needs. */
afterEach(() => {
  for (const name of readdirSync(join(backupDir, 'base')))
    rmSync(join(backupDir, 'base', name), { recursive: true, force: true });
});

const environment = () => ({ DATABASE_URL: url, BACKUP_DIR: backupDir });
const backUp = (...args: string[]) => runCommand('backup', args, environment());
const restore = (...args: string[]) =>
  runCommand('restore', args.includes('--to') ? args : ['--to', target, ...args], { BACKUP_DIR: backupDir });
const refusal = (message: unknown) => ({ code: 2, output: message });
const lineWith = (text: string) => expect.stringMatching(new RegExp(`^[^\n]*${text}[^\n]*\n$`)) as string;

async function query<T extends object>(sql: string): Promise<T[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function startSlowBackup() {
  const command = startCommand('backup', SLOWLY, environment());
  await waitFor(() => {
    const [name] = listBase(backupDir).incomplete;
    return name && readdirSync(join(backupDir, 'base', name)).length > 0;
  });
  return command;
}

test('a backup that was killed with -9 does not count, and the next one removes it', async () => {
  const { child, result } = await startSlowBackup();
  child.kill('SIGKILL');
  expect((await result).code).toBeNull();
  expect(listBase(backupDir)).toMatchObject({ complete: [], incomplete: [expect.any(String)] });
  expect(await restore()).toEqual(refusal(`${backupDir} has no base backup.\n`));

  expect((await backUp()).code).toBe(0);
  expect(listBase(backupDir)).toEqual({ complete: [expect.any(String)], incomplete: [] });
});

test('a backup of a server that is killed with -9 fails, and the server starts again', async () => {
  const { result } = await startSlowBackup();
  await postgres.kill();
  expect(await result).toMatchObject({ code: 1, output: expect.stringContaining('The backup has failed: ') });
  expect(listBase(backupDir).complete).toEqual([]);
  expect(await restore()).toEqual(refusal(`${backupDir} has no base backup.\n`));

  url = await postgres.start();
  expect((await backUp()).code).toBe(0);
  expect((await restore()).code).toBe(0);
});

test('a second backup at the same time is refused', async () => {
  const { child, result } = await startSlowBackup();
  expect(await backUp()).toEqual(refusal(`Another backup is being written to ${backupDir}.\n`));
  child.kill('SIGKILL');
  await result;
});

test('wrong arguments are refused, each with one message', async () => {
  for (const [args, message] of [
    [['--keep', '0'], '--keep: must be a whole number from 1 to 1000, not "0"'],
    [['--max-rate', 'fast'], '--max-rate: must be a whole number from 32 to 1048576, not "fast"'],
    [['--into', 'x'], "Unknown option '--into'"],
    [['now'], "Unexpected argument 'now'"],
  ] as const)
    expect(await backUp(...args)).toEqual(refusal(lineWith(message)));
  expect(await runCommand('backup', [], { ...environment(), BACKUP_DIR: join(target, 'none') })).toEqual(
    refusal(lineWith('BACKUP_DIR: must be the folder')),
  );
  expect(await runCommand('backup', [], { DATA_DIR: target })).toEqual(
    refusal(lineWith('There is no site.')),
  );

  expect((await backUp()).code).toBe(0);
  for (const [args, message] of [
    [['--time', 'yesterday'], '--time: must be an instant such as 2026-01-31T09:30:00Z, not "yesterday"'],
    [['--time', '2026-13-01T00:00Z'], '--time: must be an instant'],
    [['--time', '2999-01-01T00:00:00Z'], '--time: must be in the past'],
    [['--wal', target], '--wal: must be the folder pg_wal'],
    [['--from', target], 'has no base backup'],
    [['--replace', 'yes'], "Unexpected argument 'yes'"],
    [['--to', postgres.dataDir], 'a database is running on .*/data'],
    [['--to', postgres.dataDir, '--replace'], 'a database is running on .*/data'],
    [['--to', join(postgres.dataDir, 'PG_VERSION')], 'PG_VERSION is not a folder'],
  ] as const)
    expect(await restore(...args)).toEqual(refusal(lineWith(message)));
  expect(readdirSync(target)).toEqual([]);
});

test('a folder with content is replaced only when told, and its content is kept', async () => {
  expect((await backUp()).code).toBe(0);
  writeFileSync(join(target, 'precious'), 'data');
  expect(await restore()).toEqual(refusal(lineWith('is not empty. With --replace it is moved aside.')));
  expect(readdirSync(target)).toEqual(['precious']);

  const { code, output } = await restore('--replace');
  expect(code).toBe(0);
  expect(readdirSync(target)).toContain('PG_VERSION');
  const [, aside] = /The earlier data are in (.*)\./.exec(output)!;
  expect(readFileSync(join(aside!, 'precious'), 'utf8')).toBe('data');
});

test('a restore that was killed with -9 leaves the folder empty, and the next one succeeds', async () => {
  expect((await backUp()).code).toBe(0);
  const { child, result } = startCommand('restore', ['--from', backupDir, '--to', target]);
  await waitFor(() => existsSync(join(`${target}.restoring`, 'postmaster.pid')));
  child.kill('SIGKILL');
  expect((await result).code).toBeNull();
  expect(readdirSync(target)).toEqual([]);

  expect((await restore()).code).toBe(0);
  expect(existsSync(`${target}.restoring`)).toBe(false);
});

test('a damaged backup and a gap in the log are refused', async () => {
  expect((await backUp()).code).toBe(0);
  const [name] = listBase(backupDir).complete;
  const manifest = join(backupDir, 'base', name!, 'backup_manifest');
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, text.replace('"PG_VERSION", "Size": 3', '"PG_VERSION", "Size": 4'));
  expect(await restore()).toMatchObject({ code: 1, output: lineWith('its checksum is wrong') });
  writeFileSync(manifest, text);

  for (let files = 0; files < 3; files++) await archiveOne();
  const wal = join(backupDir, 'wal');
  const files = readdirSync(wal).filter((file) => file.length === 24);
  rmSync(join(wal, files.at(-2)!));
  expect(await restore()).toEqual(refusal(lineWith(`The archive lacks the file after ${files.at(-3)}`)));
  expect(readdirSync(target)).toEqual([]);
});

async function nextFile(): Promise<string> {
  await query('SELECT pg_logical_emit_message(false, $$test$$, $$write$$)');
  return (await query<{ file: string }>('SELECT pg_walfile_name(pg_current_wal_insert_lsn()) AS file'))[0]!
    .file;
}

async function archiveOne(): Promise<string> {
  const file = await nextFile();
  await query('SELECT pg_switch_wal()');
  await waitFor(() => existsSync(join(backupDir, 'wal', file)));
  return file;
}

const archiver = async () =>
  (
    await query<{ failed: string | null; last: string }>(
      'SELECT last_failed_wal AS failed, last_archived_wal AS last FROM pg_stat_archiver',
    )
  )[0]!;

test('the archive keeps a file that differs from a new one of its name, and accepts an identical one', async () => {
  const file = await nextFile();
  const archived = join(backupDir, 'wal', file);
  const { uid, gid } = statSync(join(backupDir, 'wal'));
  writeFileSync(archived, 'another database');
  chownSync(archived, uid, gid);
  await query('SELECT pg_switch_wal()');
  await waitFor(async () => (await archiver()).failed === file);
  expect(readFileSync(archived, 'utf8')).toBe('another database');

  writeFileSync(archived, readFileSync(join(postgres.dataDir, 'pg_wal', file)));
  await nextFile();
  // The archiver tries again at the next file.
  await query('SELECT pg_switch_wal()');
  await waitFor(async () => (await archiver()).last > file);
});

test('older backups and their log are removed, and the rest can be restored', async () => {
  await query('CREATE TABLE kept AS SELECT 42 AS answer');
  for (let backup = 0; backup < 2; backup++) expect((await backUp()).code).toBe(0);
  const [, second] = listBase(backupDir).complete;
  const { code, output } = await backUp('--keep', '2');
  expect([code, output]).toEqual([0, expect.stringMatching(/Removed 1 older backups and [1-9]\d* files/)]);
  expect(listBase(backupDir).complete).toEqual([second, expect.any(String)]);
  expect((await restore()).code).toBe(0);
});

test('a backup folder belongs to one database, and to one restore of it', async () => {
  expect((await backUp()).code).toBe(0);
  const other = await PostgresProcess.createArchiving();
  try {
    mkdirSync(other.backupDir!);
    copyFileSync(join(backupDir, 'database.json'), join(other.backupDir!, 'database.json'));
    await expect(other.start()).rejects.toThrow('has the backups of another database');
    const { code } = await restore('--to', other.dataDir, '--replace');
    expect(code).toBe(0);
    await expect(other.start()).rejects.toThrow('from before it was restored');
    // Its folder is as little that of another restore, which begins the same timeline.
    rmSync(other.backupDir!, { recursive: true });
    await other.start();
    await other.stop();
    expect((await restore('--to', other.dataDir, '--replace')).code).toBe(0);
    await expect(other.start()).rejects.toThrow('from before it was restored');
  } finally {
    await other.remove();
  }
});
