import fs from 'node:fs';

/** USER_HZ, the unit of times in /proc/<pid>/stat. It is 100 on all common architectures, whatever the kernel's HZ. */
const TICKS_PER_SECOND = 100;

/** @param {number} pid @throws if there is no such process, or no /proc */
function readStat(pid) {
  // Fields from the third one on: the second one is a name in parentheses with arbitrary characters.
  const fields = fs
    .readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number);
  const [, parent = NaN] = fields;
  const [user = NaN, system = NaN, childrenUser = NaN, childrenSystem = NaN] = fields.slice(11);
  return { parent, user, system, childrenUser, childrenSystem };
}

/** @param {number} ticks */
const toMillis = (ticks) => (ticks / TICKS_PER_SECOND) * 1000;

/** @param {number} pid @returns {number} milliseconds of processor time so far; NaN if it cannot be read */
export function processorTimeMs(pid) {
  try {
    const { user, system } = readStat(pid);
    return toMillis(user + system);
  } catch {
    return NaN;
  }
}

/** The processor time of a process and of all its children, including those that have ended. @param {number} pid */
export function processTreeTimeMs(pid) {
  try {
    const { user, system, childrenUser, childrenSystem } = readStat(pid);
    const children = fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((child) => parentOf(child) === pid)
      .reduce((sum, child) => sum + (processorTimeMs(child) || 0), 0);
    return toMillis(user + system + childrenUser + childrenSystem) + children;
  } catch {
    return NaN;
  }
}

/** @param {number} pid @returns {number} NaN if there is no such process */
function parentOf(pid) {
  try {
    return readStat(pid).parent;
  } catch {
    return NaN;
  }
}

/** The process and its children, their children and so on. @param {number} pid @returns {{ pid: number, command: string }[]} */
export function processTree(pid) {
  const all = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(all.map((name) => [Number(name), parentOf(Number(name))]));
  /** @param {number} parent @returns {number[]} */
  const under = (parent) => [
    parent,
    ...[...parents].filter(([, other]) => other === parent).flatMap(([child]) => under(child)),
  ];
  return under(pid).map((one) => ({ pid: one, command: commandOf(one) }));
}

/** @param {number} pid @returns {string} its arguments; empty if there is no such process */
function commandOf(pid) {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** @param {number} pid @returns {number} resident bytes; NaN if they cannot be read */
export function residentBytes(pid) {
  try {
    const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    return NaN;
  }
}
