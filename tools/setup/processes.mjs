import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

/** What the system knows about a running process: from /proc on Linux, from `ps` elsewhere. */

const isLinux = process.platform === 'linux';

/** @param {number} pid @param {string} column @returns {string} empty when there is no such process */
function ps(pid, column) {
  try {
    return execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  } catch {
    return '';
  }
}

/** The fields of /proc/<pid>/stat from the third (the state) on; the second is a name that may hold anything. */
function statFields(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** Ticks are counted anew from every boot; some sandboxes do not tell which one this is. */
function bootId() {
  const file = '/proc/sys/kernel/random/boot_id';
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : '';
}

/**
 * Tells a process from a later one that was given the same number, which happens soon in containers.
 * @param {number} pid
 * @returns {string | null} null when no such process runs
 */
export function processIdentity(pid) {
  if (!isLinux) return ps(pid, 'lstart') || null;
  const fields = statFields(pid);
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return null;
  const startTicks = fields[19];
  return `${bootId()}/${startTicks}`;
}

/** @param {number} pid @returns {number} 0 when there is no such process */
export function parentOf(pid) {
  return isLinux ? Number(statFields(pid)?.[1] ?? 0) : Number(ps(pid, 'ppid'));
}

/** @param {number} pid @returns {string} the command line; empty when there is no such process */
export function commandLine(pid) {
  if (!isLinux) return ps(pid, 'command');
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}
