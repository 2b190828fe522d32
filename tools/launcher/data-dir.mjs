import fs from 'node:fs';
import path from 'node:path';
import { tryLock } from '../setup/lock.mjs';

/** The processes of a killed run shut down by themselves, services first within this time. */
const ORPHANS_MS = 25_000;

/** @param {number[]} pids leaders of process groups of their own */
function killGroups(pids) {
  for (const pid of pids) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
}

/**
 * Makes the folder this run's alone. What is left of a run that was killed is waited for, and ended if it must be.
 * @param {string} dataDir
 * @param {{ signal: AbortSignal, log: (line: string) => void }} options
 * @returns {Promise<import('../setup/lock.mjs').Lock>}
 */
export async function claimDataDir(dataDir, { signal, log }) {
  try {
    fs.mkdirSync(path.join(dataDir, 'logs'), { recursive: true });
    fs.accessSync(dataDir, fs.constants.W_OK);
  } catch (cause) {
    throw new Error(`DATA_DIR ${dataDir} cannot be used: ${cause.message}`, { cause });
  }
  const deadline = Date.now() + ORPHANS_MS;
  for (let waiting = false; ; waiting = true) {
    const { lock, holder } = tryLock(path.join(dataDir, 'running.lock'));
    if (lock) return lock;
    if (holder.ownerPid !== null) {
      throw new Error(
        `The platform is running already on ${dataDir} (process ${holder.ownerPid}).\n` +
          'Stop it first, or start another one beside it: DATA_DIR=.data-2 PORT_BASE=4000 npm start',
      );
    }
    if (!waiting) log('The last run was killed; waiting for its services to end …');
    if (Date.now() > deadline) killGroups(holder.orphanPids);
    await new Promise((resolve) => setTimeout(resolve, 200));
    signal.throwIfAborted();
  }
}
