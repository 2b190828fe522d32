import fs from 'node:fs';

/** Of /proc/<pid>/stat: what the kernel tells programs, whatever its own clock. */
const TICKS_PER_SECOND = 100;

/** Of /proc/<pid>/stat, counted from the third field on. */
const FIELDS = { parent: 1, user: 11, system: 12, childrenUser: 13, childrenSystem: 14 };

function readStat(pid) {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  return Object.fromEntries(Object.entries(FIELDS).map(([name, index]) => [name, Number(fields[index])]));
}

const toMillis = (ticks) => (ticks / TICKS_PER_SECOND) * 1000;

/** @param {number} pid @returns {number} milliseconds of processor time so far; NaN where it cannot be read */
export function processorTimeMs(pid) {
  try {
    const { user, system } = readStat(pid);
    return toMillis(user + system);
  } catch {
    return NaN;
  }
}

/** The same of a process and all that it has started itself, those that have ended included. @param {number} pid */
export function familyTimeMs(pid) {
  try {
    const { user, system, childrenUser, childrenSystem } = readStat(pid);
    const children = fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
      .reduce((sum, child) => sum + (processorTimeMs(child) || 0), 0);
    return toMillis(user + system + childrenUser + childrenSystem) + children;
  } catch {
    return NaN;
  }
}

function parentOf(pid) {
  try {
    return readStat(pid).parent;
  } catch {
    return NaN;
  }
}

/** @param {number} pid @returns {number} bytes in memory; NaN where it cannot be read */
export function residentBytes(pid) {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024;
  } catch {
    return NaN;
  }
}
