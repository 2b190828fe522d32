import fs from 'node:fs';
import path from 'node:path';
import { codeOf } from '../setup/errors.mjs';
import { tryLock } from '../setup/lock.mjs';
import { ensureWritableFolder, using } from '../setup/state-file.mjs';

/** How long the processes of a killed run get to shut down on their own. Longer than the grace period of a service. */
const ORPHANS_MS = 25_000;

/**
 * @typedef {{ lock: import('../setup/lock.mjs').Lock, discard: () => void }} Claim `discard`: removes the data folder, and the
 *   parent folders that were created with it; does nothing if the folder existed before
 */

/** @param {string} folder @returns {string | null} the topmost of its parent folders, or itself, that does not exist */
function firstMissing(folder) {
  if (fs.existsSync(folder)) return null;
  return firstMissing(path.dirname(folder)) ?? folder;
}

/** @param {number[]} pids leaders of process groups of their own */
function killGroups(pids) {
  for (const pid of pids) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch (error) {
      if (codeOf(error) !== 'ESRCH') throw error;
    }
  }
}

/**
 * Locks the data folder for this run. Waits for processes of a run that was killed, and kills them after ORPHANS_MS.
 * @param {string} dataDir
 * @param {{ signal: AbortSignal, log: (line: string) => void }} options
 * @returns {Promise<Claim>}
 * @throws {import('../setup/state-file.mjs').StateFileError} if it cannot be written
 */
export async function claimDataDir(dataDir, { signal, log }) {
  const missing = firstMissing(dataDir);
  for (const folder of [dataDir, path.join(dataDir, 'logs')]) ensureWritableFolder(folder);
  const lockFolder = path.join(dataDir, 'running.lock');
  const deadline = Date.now() + ORPHANS_MS;
  for (let waiting = false; ; waiting = true) {
    const { lock, holder } = using(lockFolder, 'written', () => tryLock(lockFolder));
    if (lock) return { lock, discard: () => missing && fs.rmSync(missing, { recursive: true, force: true }) };
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
