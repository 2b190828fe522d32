import fs from 'node:fs';
import path from 'node:path';
import { codeOf } from '../setup/errors.mjs';
import { commandLine, parentOf } from '../setup/processes.mjs';

/** How long to wait for a server that its own supervisor is stopping. */
const SUPERVISED_MS = 20_000;
const FAST_SHUTDOWN_MS = 20_000;
const IMMEDIATE_SHUTDOWN_MS = 10_000;
/** How long processes without a postmaster get to end on their own. Recovery follows in any case. */
const ORPHANED_MS = 1_000;

/** @param {string} dataDir @returns {number | null} the process id in the folder's lock file */
function readPostmasterPid(dataDir) {
  try {
    return Number(fs.readFileSync(path.join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]) || null;
  } catch {
    return null;
  }
}

/**
 * Waits for a condition.
 * @param {() => boolean} condition
 * @param {number} timeoutMs
 * @param {AbortSignal} [signal] ends the wait with an error
 * @returns {Promise<boolean>} false on timeout
 */
async function waitUntil(condition, timeoutMs, signal) {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline;) {
    if (condition()) return true;
    signal?.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return condition();
}

/** @param {number[]} pids @param {NodeJS.Signals} signal */
function signalAll(pids, signal) {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (codeOf(error) !== 'ESRCH') throw error;
    }
  }
}

/** @param {string} dataDir @returns {boolean} whether a server runs on it */
export const hasServer = (dataDir) => processesOf(dataDir, readPostmasterPid(dataDir)).length > 0;

/**
 * Stops a server that a killed run has left on a data folder, and removes its lock file. After a crash PostgreSQL
 * removes the file itself, but not if another process has the process id by then.
 * @param {string} dataDir
 * @param {AbortSignal} [signal] ends the wait with an error
 */
export async function stopLeftover(dataDir, signal) {
  const notedPid = readPostmasterPid(dataDir);
  const running = () => processesOf(dataDir, notedPid);
  const isGone = () => running().length === 0;
  const postmaster = running().find((pid) => pid === notedPid);
  if (postmaster) {
    const supervisor = parentOf(postmaster);
    const isSupervised = () => commandLine(supervisor).includes('supervisor.mjs');
    if (isSupervised() && !(await waitUntil(() => isGone() || !isSupervised(), SUPERVISED_MS, signal))) {
      throw new Error(`The database in ${dataDir} is in use by process ${supervisor}.`);
    }
    signalAll(running().includes(postmaster) ? [postmaster] : [], 'SIGINT');
  }
  // Without a postmaster the other processes end on their own as a rule, within moments.
  if (!(await waitUntil(isGone, postmaster ? FAST_SHUTDOWN_MS : ORPHANED_MS, signal))) {
    signalAll(running(), 'SIGQUIT');
    if (!(await waitUntil(isGone, IMMEDIATE_SHUTDOWN_MS, signal))) signalAll(running(), 'SIGKILL');
    await waitUntil(isGone, IMMEDIATE_SHUTDOWN_MS, signal);
  }
  fs.rmSync(path.join(dataDir, 'postmaster.pid'), { force: true });
}

/** Whether a process is a PostgreSQL process with this working folder. @param {number} pid @param {fs.Stats} folder */
function isServing(pid, folder) {
  try {
    if (!path.basename(fs.readlinkSync(`/proc/${pid}/exe`)).startsWith('postgres')) return false;
    const { dev, ino } = fs.statSync(`/proc/${pid}/cwd`);
    return dev === folder.dev && ino === folder.ino;
  } catch {
    return false;
  }
}

/**
 * The PostgreSQL processes of a data folder: on Linux all of them, even if their postmaster has ended, on other systems
 * only the postmaster.
 * @param {string} dataDir
 * @param {number | null} postmasterPid from the folder's lock file
 * @returns {number[]}
 */
function processesOf(dataDir, postmasterPid) {
  if (process.platform !== 'linux') {
    return postmasterPid && /\bpostgres\b/.test(commandLine(postmasterPid)) ? [postmasterPid] : [];
  }
  const folder = fs.statSync(dataDir, { throwIfNoEntry: false });
  if (!folder) return [];
  return fs
    .readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && isServing(pid, folder));
}
