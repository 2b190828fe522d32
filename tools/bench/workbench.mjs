import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from '../launcher/build.mjs';
import { ending, lastLinesOf, spawnNode, stopService } from '../launcher/children.mjs';
import { startPostgres } from '../postgres/postgres.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

const GRACE_MS = 10_000;
const ANSWER_DEADLINE_MS = 30_000;

/** Children get nothing of the caller's environment that could change what is measured. */
const environment = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production' };

/**
 * @typedef {object} Started a child process that answers HTTP
 * @property {number} pid
 * @property {string} url
 * @property {import('node:child_process').ChildProcess} child with a channel for messages
 * @property {() => Promise<void>} stop
 */

/** What a run starts and writes, and that it leaves nothing of. */
export class Workbench {
  #undo = [];

  /** @param {AbortSignal} signal aborted when the run is to end early */
  constructor(signal) {
    this.signal = signal;
  }

  /** Builds the product if need be, starts PostgreSQL with full durability, in a folder on the product's own disk. */
  async open() {
    await ensureBuilt(root, { signal: this.signal, log: console.log });
    this.dir = this.#makeFolder();
    const postgres = await startPostgres({
      dataDir: path.join(this.dir, 'postgres'),
      password: randomBytes(32).toString('hex'),
      ephemeral: false,
    });
    this.defer(() => postgres.stop());
    /** Of the superuser. */
    this.postgresUrl = postgres.url;
    this.postgresPid = postgres.pids[1];
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

  /** @param {() => unknown} undo run by `close`, the last one first */
  defer(undo) {
    this.#undo.push(undo);
  }

  async close() {
    for (const undo of this.#undo.splice(0).reverse()) {
      try {
        await undo();
      } catch (error) {
        console.error(`Could not clean up: ${error.message}`);
      }
    }
  }

  /**
   * Starts a script and waits until it answers.
   * @param {{ name: string, args: string[], env: NodeJS.ProcessEnv, port: number, probe: string }} description `probe`:
   *   the path that answers with 200 once it is ready
   * @returns {Promise<Started>}
   */
  async start({ name, args, env, port, probe }) {
    this.signal.throwIfAborted();
    const logFile = path.join(this.dir, `${name}.log`);
    const log = fs.openSync(logFile, 'a', 0o600);
    const child = spawnNode(args, {
      cwd: root,
      env: { ...environment, ...env },
      stdio: ['ignore', log, log],
    });
    fs.closeSync(log);
    const service = { child, ended: ending(child) };
    let stopped;
    const stop = () => (stopped ??= stopService(service, GRACE_MS, this.signal));
    this.defer(stop);
    let end;
    void service.ended.then((how) => (end = how));
    const url = `http://127.0.0.1:${port}`;
    for (const deadline = Date.now() + ANSWER_DEADLINE_MS; !(await answers(url + probe));) {
      this.signal.throwIfAborted();
      if (end !== undefined || Date.now() > deadline) {
        throw new Error(`${name} does not answer (${end ?? 'still running'}):\n${lastLinesOf(logFile)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return { pid: child.pid, url, child, stop };
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
