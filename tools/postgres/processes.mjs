import fs from 'node:fs';
import path from 'node:path';
import { commandLine } from '../setup/processes.mjs';

/** @param {number} pid @param {fs.Stats} folder whether the process is a PostgreSQL one that works in the folder */
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
 * The PostgreSQL processes of a data folder. On Linux these are all that work in it, whether or not their postmaster
 * is still there; elsewhere the postmaster alone.
 * @param {string} dataDir
 * @param {number | null} postmasterPid as noted in the folder
 * @returns {number[]}
 */
export function processesOf(dataDir, postmasterPid) {
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
