import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from '../../launcher/build.mjs';
import { ending, lastLinesOf, spawnNode, stopService } from '../../launcher/processes/child-processes.mjs';
import { startPostgres } from '../../postgres/postgres.mjs';
import { messageOf } from '../../setup/errors.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');

const GRACE_MS = 10_000;
const ANSWER_DEADLINE_MS = 30_000;

/** PostgreSQL's log collector keeps long entries of several processes apart, which standard error does not. */
const LOG_COLLECTOR = {
  logging_collector: 'on',
  log_directory: 'log',
  log_filename: 'postgres.log',
  log_rotation_age: '0',
  log_rotation_size: '0',
};

/** Child processes do not inherit other variables of the caller, because they could change the results. */
const environment = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production' };

/**
 * @typedef {object} BenchOptions
 * @property {number} rounds
 * @property {number} seconds
 * @property {number} settlementSeconds
 * @property {number} workers
 * @property {number} minutes
 * @property {number} gigabytes
 * @property {number} streams
 * @property {number} tokensPerSecond
 * @property {number[]} passages
 * @property {number[]} rows
 * @property {number[]} processes
 * @property {number} accounts
 * @property {number} entries
 * @property {string[]} folders
 * @property {string | undefined} against absolute path of another built checkout
 * @property {boolean} limitedKeys
 *
 * @typedef {(bench: Workbench, options: BenchOptions) => Promise<string[]>} Benchmark resolves with failures; rejects if the
 *   run is aborted
 *
 * @typedef {object} Started a child process that answers HTTP
 * @property {number} pid
 * @property {string} url
 * @property {import('node:child_process').ChildProcess} child with a message channel
 * @property {() => Promise<void>} stop
 */

/** Starts the processes of a run, and removes everything at its end. */
export class Workbench {
  /** @type {(() => unknown)[]} */
  #cleanups = [];
  #dir = '';
  #postgresUrl = '';
  #postgresPid = 0;

  /** @param {AbortSignal} signal aborted when the run is to end early */
  constructor(signal) {
    this.signal = signal;
  }

  /** The folder of the run, which is removed at its end. */
  get dir() {
    return this.#dir;
  }

  /** URL of the superuser. */
  get postgresUrl() {
    return this.#postgresUrl;
  }

  get postgresPid() {
    return this.#postgresPid;
  }

  /** The file to which PostgreSQL writes its log. */
  get postgresLog() {
    return path.join(this.#dir, 'postgres', LOG_COLLECTOR.log_directory, LOG_COLLECTOR.log_filename);
  }

  /** Builds the product if necessary, and starts PostgreSQL with full durability, with its data on the disk of the product. */
  async open() {
    await ensureBuilt(root, { signal: this.signal, log: console.log });
    this.#dir = this.#makeFolder();
    const postgres = await startPostgres({
      dataDir: path.join(this.#dir, 'postgres'),
      password: randomBytes(32).toString('hex'),
      ephemeral: false,
      settings: LOG_COLLECTOR,
    });
    this.defer(() => postgres.stop());
    this.#postgresUrl = postgres.url;
    this.#postgresPid = postgres.pids[1];
    this.signal.throwIfAborted();
  }

  #makeFolder() {
    const parent = path.join(root, '.data');
    const isParentOurs = !fs.existsSync(parent);
    fs.mkdirSync(parent, { recursive: true });
    const dir = fs.mkdtempSync(path.join(parent, 'bench-'));
    this.defer(() => {
      fs.rmSync(dir, { recursive: true, force: true });
      if (isParentOurs && fs.readdirSync(parent).length === 0) fs.rmdirSync(parent);
    });
    return dir;
  }

  /** @param {() => unknown} cleanup called by `close`, the last one first */
  defer(cleanup) {
    this.#cleanups.push(cleanup);
  }

  async close() {
    for (const cleanup of this.#cleanups.splice(0).reverse()) {
      try {
        await cleanup();
      } catch (error) {
        console.error(`Could not clean up: ${messageOf(error)}`);
      }
    }
  }

  /**
   * Starts a script and waits until it answers HTTP requests.
   * @param {{ name: string, args: string[], env: NodeJS.ProcessEnv, port: number, probe: string, cwd?: string, deadlineMs?: number }} description
   *   `probe`: the path that answers with 200 once it is ready
   * @returns {Promise<Started>}
   */
  async start({ name, args, env, port, probe, cwd = root, deadlineMs = ANSWER_DEADLINE_MS }) {
    this.signal.throwIfAborted();
    const logFile = path.join(this.dir, `${name}.log`);
    const log = fs.openSync(logFile, 'a', 0o600);
    const child = spawnNode(args, {
      cwd,
      env: { ...environment, ...env },
      stdio: ['ignore', log, log],
    });
    fs.closeSync(log);
    const service = { name, child, ended: ending(child) };
    /** @type {Promise<void> | undefined} */
    let stopped;
    const stop = () =>
      (stopped ??= stopService(service, { graceMs: GRACE_MS, impatience: this.signal, log: console.error }));
    this.defer(stop);
    /** @type {string | undefined} */
    let end;
    void service.ended.then((how) => (end = how));
    const url = `http://127.0.0.1:${port}`;
    for (const deadline = Date.now() + deadlineMs; !(await answers(url + probe));) {
      this.signal.throwIfAborted();
      if (end !== undefined || Date.now() > deadline) {
        throw new Error(`${name} does not answer (${end ?? 'still running'}):\n${lastLinesOf(logFile)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return { pid: child.pid ?? 0, url, child, stop };
  }
}

/** @param {string} url */
async function answers(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
