import { fork } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { chooseAccount } from './account.mjs';
import { findBinaries } from './binaries.mjs';
import { prepareDataFolder } from './data-folder.mjs';
import { stopLeftover } from './leftover.mjs';

/**
 * A real PostgreSQL server on loopback, for one machine: no installation, no account, no service on the system.
 *
 * @typedef {object} PostgresOptions
 * @property {string} dataDir made when absent. Belongs to one running server at a time; a server that a killed run
 *   left on it is shut down first
 * @property {number} [port] a free one when absent
 * @property {string} password of the superuser `postgres`; takes effect when the database is created
 * @property {Record<string, string>} [settings] PostgreSQL settings beside or instead of the ones below
 * @property {boolean} [ephemeral] for tests: fast, loses data in a crash, and the folder is removed at the end
 * @property {string} [logFile] default: `<dataDir>.log`
 *
 * @typedef {object} Postgres
 * @property {string} url of the superuser, for the database `postgres`
 * @property {number} port
 * @property {number[]} pids the server and the process that looks after it
 * @property {Promise<string>} ended why the server has ended, `stop` or not
 * @property {() => Promise<void>} stop shuts the server down and waits for its end
 */

/** Crash recovery after a kill -9 under load can take its time. */
const READY_DEADLINE_MS = 5 * 60_000;
const PORT_ATTEMPTS = 5;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  timezone: 'UTC',
  log_timezone: 'UTC',
};
const EPHEMERAL_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** @returns {Promise<number>} a port nobody listens on at this moment */
function findFreePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** What the server has logged since `offset`. @param {string} logFile @param {number} offset in bytes */
function logSince(logFile, offset) {
  return fs.existsSync(logFile) ? fs.readFileSync(logFile).subarray(offset).toString() : '';
}

/** True once the server itself has noted in its folder that it takes connections. */
function isReady(dataDir, pid) {
  try {
    const lines = fs.readFileSync(path.join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}

/** @param {import('./supervisor.mjs').Order} order */
function launch(order) {
  const supervisor = fork(fileURLToPath(new URL('supervisor.mjs', import.meta.url)), {
    detached: true,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  supervisor.send(order);
  const running = { supervisor, serverPid: 0, reason: undefined, ended: undefined };
  supervisor.on('message', ({ started, ended }) => {
    if (started) running.serverPid = started;
    if (ended) running.reason = ended;
  });
  running.ended = new Promise((resolve, reject) => {
    supervisor.on('error', reject);
    supervisor.on('exit', async () => {
      // Without a last word the supervisor was killed, and the server is still there.
      if (!running.reason) await stopLeftover(order.dataDir);
      resolve(running.reason ?? 'its supervisor was killed');
    });
  });
  return running;
}

/** @returns {Promise<void>} resolves when connections are taken; rejects with the server's own words if it gives up */
async function untilReady(running, { dataDir, logFile }, logOffset) {
  let reason;
  running.ended.then((text) => (reason = text));
  for (const deadline = Date.now() + READY_DEADLINE_MS; !isReady(dataDir, running.serverPid);) {
    if (reason !== undefined) {
      throw new Error(`PostgreSQL did not start (${reason}):\n${logSince(logFile, logOffset)}`);
    }
    if (Date.now() > deadline) throw new Error(`PostgreSQL is not ready yet; its log is ${logFile}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** @param {string} url @param {string} dataDir */
async function checkPassword(url, dataDir) {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
  } catch (error) {
    if (error.code !== '28P01') throw error;
    throw new Error(`The database in ${dataDir} was created with another password.`, { cause: error });
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** @returns {Promise<Postgres>} */
async function launchOn(port, order, password) {
  const { logFile } = order;
  const logOffset = fs.statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const running = launch({ ...order, settings: { ...order.settings, port: String(port) } });
  const stop = async () => {
    if (running.supervisor.connected) running.supervisor.send('stop', () => undefined);
    await running.ended;
  };
  const url = `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
  try {
    await untilReady(running, order, logOffset);
    await checkPassword(url, order.dataDir);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, port, pids: [running.supervisor.pid, running.serverPid], ended: running.ended, stop };
}

/**
 * @param {PostgresOptions} options
 * @returns {Promise<Postgres>}
 */
export async function startPostgres(options) {
  const { port, password, settings = {}, ephemeral = false } = options;
  const dataDir = path.resolve(options.dataDir);
  const logFile = path.resolve(options.logFile ?? `${dataDir}.log`);
  fs.mkdirSync(path.dirname(dataDir), { recursive: true });
  const account = chooseAccount(dataDir);
  const binaries = findBinaries(account);
  await stopLeftover(dataDir);
  await prepareDataFolder({ binaries, account, dataDir, password, ephemeral });

  const order = {
    ...{ postgres: binaries.postgres, folder: binaries.folder, dataDir, logFile, account },
    settings: { ...SETTINGS, ...(ephemeral ? EPHEMERAL_SETTINGS : {}), ...settings },
    removeAtEnd: ephemeral,
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launchOn(port ?? (await findFreePort()), order, password);
    } catch (error) {
      // A free port may be taken by somebody else before PostgreSQL opens it.
      const mayRetry = port === undefined && attempt < PORT_ATTEMPTS;
      if (!mayRetry || !/could not bind/.test(error.message)) throw error;
    }
  }
}
