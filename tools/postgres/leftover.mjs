import fs from 'node:fs';
import path from 'node:path';
import { commandLine, parentOf } from '../setup/processes.mjs';
import { processesOf } from './processes.mjs';

/** How long a server that is just being stopped by its own supervisor may take. */
const SUPERVISED_MS = 20_000;
const FAST_SHUTDOWN_MS = 20_000;
const IMMEDIATE_SHUTDOWN_MS = 10_000;

/** @param {string} dataDir @returns {number | null} the postmaster that the folder's lock file names */
export function notedPostmaster(dataDir) {
  try {
    return Number(fs.readFileSync(path.join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]) || null;
  } catch {
    return null;
  }
}

/** @param {() => boolean} condition @param {number} deadlineMs */
async function became(condition, deadlineMs) {
  for (const deadline = Date.now() + deadlineMs; Date.now() < deadline;) {
    if (condition()) return true;
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
      if (error.code !== 'ESRCH') throw error;
    }
  }
}

/**
 * Ends a server that a killed run has left on a data folder, and the trace of one that is gone already. PostgreSQL
 * clears its own lock file after a crash, but not when the number in it belongs to some other process by now.
 * @param {string} dataDir
 */
export async function stopLeftover(dataDir) {
  const noted = notedPostmaster(dataDir);
  const running = () => processesOf(dataDir, noted);
  const isGone = () => running().length === 0;
  const postmaster = running().find((pid) => pid === noted);
  if (postmaster) {
    const supervisor = parentOf(postmaster);
    const isSupervised = () => commandLine(supervisor).includes('supervisor.mjs');
    if (isSupervised() && !(await became(() => isGone() || !isSupervised(), SUPERVISED_MS))) {
      throw new Error(`The database in ${dataDir} is in use: process ${supervisor} looks after it.`);
    }
    signalAll(running().includes(postmaster) ? [postmaster] : [], 'SIGINT');
  }
  // Without a postmaster its other processes end by themselves, within moments.
  if (!(await became(isGone, postmaster ? FAST_SHUTDOWN_MS : IMMEDIATE_SHUTDOWN_MS))) {
    signalAll(running(), 'SIGQUIT');
    if (!(await became(isGone, IMMEDIATE_SHUTDOWN_MS))) signalAll(running(), 'SIGKILL');
    await became(isGone, IMMEDIATE_SHUTDOWN_MS);
  }
  fs.rmSync(path.join(dataDir, 'postmaster.pid'), { force: true });
}
