import { fork } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { codeOf, messageOf } from '../setup/errors.mjs';
import { findFreePort } from '../setup/ports.mjs';
import { changeOwner, chooseAccount } from './account.mjs';
import { ARCHIVE_SETTINGS, prepareBackupFolder } from './backup-folder.mjs';
import { findBinaries } from './binaries.mjs';
import { prepareDataFolder } from './data-folder.mjs';
import { stopLeftover } from './leftover.mjs';

/**
 * Runs a real PostgreSQL server on loopback, without installing a program, an account or a service on the system.
 *
 * @import { Message, StartMessage } from './supervisor.mjs'
 *
 * @typedef {object} PostgresOptions
 * @property {string} dataDir created if absent. A server that a killed run has left on it is stopped first
 * @property {number} [port] a free one when absent
 * @property {string} password of the superuser `postgres`; must be the one that the database was created with
 * @property {string} [passwordAdvice] what to do if it is another one
 * @property {string} [backupDir] the server archives its write-ahead log to this folder, which is created if absent
 * @property {Record<string, string>} [settings] PostgreSQL settings that are added to SETTINGS, or replace some of them
 * @property {boolean} [ephemeral] for tests: fast, loses data in a crash, removes the folder at the end
 * @property {string} [logFile] default: `<dataDir>.log`
 * @property {AbortSignal} [signal] ends the start with an error; a server that is running already is not affected
 *
 * @typedef {object} Postgres
 * @property {string} url of the superuser, for the database `postgres`
 * @property {number} port
 * @property {[supervisor: number, server: number]} pids
 * @property {Promise<string>} ended resolves with the reason, when the server has ended for whatever reason
 * @property {() => Promise<void>} stop shuts the server down and waits for its end
 *
 * @typedef {object} RunningServer
 * @property {import('node:child_process').ChildProcess} supervisor
 * @property {number} serverPid 0 until the supervisor has started the server
 * @property {string | undefined} reason of the end, from the supervisor
 * @property {Promise<string>} ended
 */

/** A crash recovery after kill -9 under load takes minutes at worst. */
const READY_DEADLINE_MS = 5 * 60_000;
const PORT_ATTEMPTS = 5;
/** SQLSTATE (PostgreSQL, appendix A). */
const INVALID_PASSWORD = '28P01';

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  timezone: 'UTC',
  log_timezone: 'UTC',
};
const EPHEMERAL_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** The log from `offset` on. @param {string} logFile @param {number} offset in bytes */
function logSince(logFile, offset) {
  return fs.existsSync(logFile) ? fs.readFileSync(logFile).subarray(offset).toString() : '';
}

/** True if the server's lock file says that it accepts connections. @param {string} dataDir @param {number} pid */
function isReady(dataDir, pid) {
  try {
    const lines = fs.readFileSync(path.join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}

/** @param {StartMessage} message @returns {RunningServer} */
function launch(message) {
  const supervisor = fork(fileURLToPath(new URL('supervisor.mjs', import.meta.url)), {
    detached: true,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  supervisor.send(message);
  /** @type {Promise<string>} */
  const ended = new Promise((resolve, reject) => {
    supervisor.on('error', reject);
    supervisor.on('exit', async () => {
      // A supervisor that ends without a message was killed, and the server is still running.
      if (!running.reason) await stopLeftover(message.dataDir);
      resolve(running.reason ?? 'its supervisor was killed');
    });
  });
  /** @type {RunningServer} */
  const running = { supervisor, serverPid: 0, reason: undefined, ended };
  supervisor.on('message', (/** @type {Message} */ answer) => {
    if ('started' in answer) running.serverPid = answer.started ?? 0;
    else running.reason = answer.ended;
  });
  return running;
}

/**
 * @param {RunningServer} running
 * @param {StartMessage} message
 * @param {number} logOffset of this run in the log
 * @param {number} deadlineMs
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>} resolves when the server accepts connections; rejects with the log of the server if it ends
 */
async function untilReady(running, { dataDir, logFile }, logOffset, deadlineMs, signal) {
  /** @type {string | undefined} */
  let reason;
  running.ended.then((text) => (reason = text));
  for (const deadline = Date.now() + deadlineMs; !isReady(dataDir, running.serverPid);) {
    signal?.throwIfAborted();
    if (reason !== undefined) {
      throw new Error(`PostgreSQL did not start (${reason}):\n${logSince(logFile, logOffset)}`);
    }
    if (Date.now() > deadline) {
      throw new Error(`PostgreSQL is not ready after ${deadlineMs / 1000} s; its log is ${logFile}.`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** @param {string} url @param {string} dataDir @param {string} [advice] */
async function checkPassword(url, dataDir, advice) {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
  } catch (error) {
    if (codeOf(error) !== INVALID_PASSWORD) throw error;
    const fault = `The database in ${dataDir} was created with another password.`;
    throw new Error(advice ? `${fault} ${advice}` : fault, { cause: error });
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * @param {number} port
 * @param {StartMessage} message
 * @param {Pick<PostgresOptions, 'password' | 'passwordAdvice' | 'signal'>} options
 * @returns {Promise<Postgres>}
 */
async function launchOn(port, message, { password, passwordAdvice, signal }) {
  const { logFile } = message;
  const logOffset = fs.statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const running = launch({ ...message, settings: { ...message.settings, port: String(port) } });
  const stop = async () => {
    if (running.supervisor.connected) running.supervisor.send('stop', () => undefined);
    await running.ended;
  };
  const url = `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
  try {
    await untilReady(running, message, logOffset, READY_DEADLINE_MS, signal);
    await checkPassword(url, message.dataDir, passwordAdvice);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, port, pids: [running.supervisor.pid ?? 0, running.serverPid], ended: running.ended, stop };
}

/**
 * Recovers a copy of a data folder until it is a database of its own, which may take long, and shuts it down.
 * @param {{ dataDir: string, backupDir: string, settings: Record<string, string>, logFile: string }} options `settings`:
 *   of the recovery
 * @returns {Promise<void>} rejects with the log of the server if the recovery fails
 */
export async function recoverDatabase({ dataDir, backupDir, settings, logFile }) {
  const account = chooseAccount(dataDir);
  const binaries = findBinaries(account);
  changeOwner(account, dataDir);
  /** @type {StartMessage} */
  const message = {
    ...{ postgres: binaries.postgres, folder: binaries.folder, dataDir, backupDir, logFile, account },
    // A server has to listen. Nobody else uses a socket in the data folder, the server's working folder.
    settings: {
      ...SETTINGS,
      listen_addresses: '',
      unix_socket_directories: '.',
      hot_standby: 'off',
      ...settings,
    },
    removeAtEnd: false,
  };
  const running = launch(message);
  await untilReady(running, message, 0, Infinity);
  running.supervisor.send('stop', () => undefined);
  await running.ended;
}

/**
 * @param {PostgresOptions} options
 * @returns {Promise<Postgres>}
 */
export async function startPostgres(options) {
  const { port, password, backupDir, settings = {}, ephemeral = false, signal } = options;
  const dataDir = path.resolve(options.dataDir);
  const logFile = path.resolve(options.logFile ?? `${dataDir}.log`);
  fs.mkdirSync(path.dirname(dataDir), { recursive: true });
  const account = chooseAccount(dataDir);
  const binaries = findBinaries(account);
  await stopLeftover(dataDir, signal);
  await prepareDataFolder({ binaries, account, dataDir, password, ephemeral });
  if (backupDir) prepareBackupFolder({ account, dataDir, backupDir });

  /** @type {StartMessage} */
  const message = {
    ...{ postgres: binaries.postgres, folder: binaries.folder, dataDir, backupDir, logFile, account },
    settings: {
      ...SETTINGS,
      ...(ephemeral ? EPHEMERAL_SETTINGS : {}),
      ...(backupDir ? ARCHIVE_SETTINGS : {}),
      ...settings,
    },
    removeAtEnd: ephemeral,
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launchOn(port ?? (await findFreePort()), message, options);
    } catch (error) {
      // Another process may take a free port before PostgreSQL listens on it.
      const mayRetry = port === undefined && attempt < PORT_ATTEMPTS;
      if (!mayRetry || !/could not bind/.test(messageOf(error))) throw error;
    }
  }
}
