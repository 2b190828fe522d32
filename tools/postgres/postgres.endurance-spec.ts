import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

/** Runs in its own process, because a test cannot load an ES module. */
const OWNER = `
  import { startPostgres } from ${JSON.stringify(join(__dirname, 'postgres.mjs'))};
  try {
    const postgres = await startPostgres(JSON.parse(process.env.OPTIONS));
    process.on('SIGTERM', () => postgres.stop());
    const { url, pids } = postgres;
    process.send({ url, pids });
    process.send({ ended: await postgres.ended });
  } catch (error) {
    process.send({ error: error.message });
  }
  process.disconnect();
`;

interface Server {
  owner: ChildProcess;
  url: string;
  pids: [supervisor: number, postmaster: number];
}

const owners: ChildProcess[] = [];
let folder: string;
let dataDir: string;

beforeEach(() => {
  // Only the caller may enter the parent folder of the data, so the account of PostgreSQL needs the opened folder.
  folder = mkdtempSync(join(process.env.TEST_DATA_FOLDER ?? tmpdir(), 'postgres-spec-'));
  mkdirSync(join(folder, 'private'), { mode: 0o700 });
  dataDir = join(folder, 'private', 'data');
});

afterEach(async () => {
  await Promise.all(owners.splice(0).map((owner) => end(owner, 'SIGTERM')));
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: object = {}): Promise<Server> {
  const owner = spawn(process.execPath, ['--input-type=module', '-e', OWNER], {
    env: { ...process.env, OPTIONS: JSON.stringify({ dataDir, password: 'p@ss/word', ...options }) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  owners.push(owner);
  const [message] = (await once(owner, 'message')) as [Server & { error?: string }];
  if (message.error) throw new Error(message.error);
  return { ...message, owner };
}

async function end(owner: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (owner.exitCode !== null || owner.signalCode !== null) return;
  const exited = once(owner, 'exit');
  owner.kill(signal);
  await exited;
}

/** False for a zombie process, too. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  if (!existsSync('/proc/self/stat')) return true;
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function untilGone(...pids: number[]): Promise<void> {
  for (const deadline = Date.now() + 60_000; pids.some(isRunning);) {
    if (Date.now() > deadline) throw new Error(`Still running: ${pids.filter(isRunning).join(', ')}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows.map((row) => Object.values(row)[0]);
  } finally {
    await client.end();
  }
}

test('keeps its data over a restart, listens on loopback only, and has durable settings', async () => {
  const first = await start();
  await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
  expect(
    await query(first.url, `SELECT setting FROM pg_settings WHERE name IN ('fsync', 'listen_addresses')`),
  ).toEqual(['on', '127.0.0.1']);
  await end(first.owner, 'SIGTERM');
  await untilGone(...first.pids);

  const second = await start();
  expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([42]);
});

test('shuts down when its owner is killed with -9, and loses no committed transaction', async () => {
  const first = await start();
  await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await end(first.owner, 'SIGKILL');
  await untilGone(...first.pids);

  const second = await start();
  expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([42]);
});

test('shuts down when its supervisor is killed with -9, and notifies its owner', async () => {
  const { owner, pids } = await start();
  const told = once(owner, 'message');
  process.kill(pids[0], 'SIGKILL');
  expect(await told).toEqual([{ ended: 'its supervisor was killed' }, undefined]);
  await untilGone(...pids);
});

test('stops a server without a supervisor before it uses its folder', async () => {
  const first = await start();
  await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
  process.kill(first.owner.pid!, 'SIGSTOP');
  process.kill(first.pids[0], 'SIGKILL');
  process.kill(first.owner.pid!, 'SIGKILL');
  await untilGone(first.pids[0]);
  expect(isRunning(first.pids[1])).toBe(true);

  const second = await start();
  expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([42]);
  await untilGone(first.pids[1]);
});

test('ignores a lock file whose process id belongs to another process', async () => {
  const first = await start();
  const lockFile = join(dataDir, 'postmaster.pid');
  const lock = readFileSync(lockFile, 'utf8');
  process.kill(first.pids[1], 'SIGKILL');
  await untilGone(...first.pids);
  writeFileSync(lockFile, lock.replace(String(first.pids[1]), String(process.pid)));

  const second = await start();
  expect(await query(second.url, 'SELECT 1')).toEqual([1]);
});

test('reports a wrong password and a port that is taken', async () => {
  const { owner, url, pids } = await start();
  const port = Number(new URL(url).port);
  await expect(start({ dataDir: join(folder, 'private', 'other'), port })).rejects.toThrow('could not bind');
  await end(owner, 'SIGTERM');
  await untilGone(...pids);
  const wrong = { password: 'another', passwordAdvice: 'Restore the old one.' };
  await expect(start(wrong)).rejects.toThrow('was created with another password. Restore the old one.');
});

test('removes the data of an ephemeral server', async () => {
  const { owner, url, pids } = await start({ ephemeral: true });
  expect(await query(url, 'SHOW fsync')).toEqual(['off']);
  await end(owner, 'SIGKILL');
  await untilGone(...pids);
  expect(() => readFileSync(join(dataDir, 'PG_VERSION'))).toThrow('ENOENT');
});
