import fs from 'node:fs';
import path from 'node:path';
import { commandLine } from '../setup/processes.mjs';

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
