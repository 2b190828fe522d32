import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

/** Information about running processes: from /proc on Linux, from `ps` on other systems. */

const isLinux = process.platform === 'linux';

/** @param {number} pid @param {string} column @returns {string} empty if there is no such process */
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

/**
 * The fields of /proc/<pid>/stat from the third one, the state, on. The second one is a name with arbitrary characters.
 * @param {number} pid
 */
function statFields(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** Identifies the boot, because ticks are counted from it. Empty where a container hides it. */
function bootId() {
  const file = '/proc/sys/kernel/random/boot_id';
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : '';
}

/**
 * Distinguishes a process from a later one with the same id. Containers reuse ids soon.
 * @param {number} pid
 * @returns {string | null} null if there is no such process
 */
export function processIdentity(pid) {
  if (!isLinux) return ps(pid, 'lstart') || null;
  const fields = statFields(pid);
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return null;
  const startTicks = fields[19];
  return `${bootId()}/${startTicks}`;
}

/** @param {number} pid @returns {number} 0 if there is no such process */
export function parentOf(pid) {
  return isLinux ? Number(statFields(pid)?.[1] ?? 0) : Number(ps(pid, 'ppid'));
}

/** @param {number} pid @returns {string} empty if there is no such process */
export function commandLine(pid) {
  if (!isLinux) return ps(pid, 'command');
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/** @returns {{ pid: number, group: number }[]} all processes that have not ended */
function allProcesses() {
  if (isLinux) {
    const pids = fs
      .readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0);
    return pids.flatMap((pid) => {
      const [state = 'X', , group] = statFields(pid) ?? [];
      return 'ZX'.includes(state) ? [] : [{ pid, group: Number(group) }];
    });
  }
  const list = execFileSync('ps', ['-A', '-o', 'pid=,pgid=,stat='], { encoding: 'utf8' });
  return list.split('\n').flatMap((line) => {
    const [pid, group, state = 'Z'] = line.trim().split(/\s+/);
    return state.startsWith('Z') ? [] : [{ pid: Number(pid), group: Number(group) }];
  });
}

/** @param {number} leader of a process group @returns {number[]} the processes of the group that have not ended */
export const groupMembers = (leader) =>
  allProcesses()
    .filter(({ group }) => group === leader)
    .map(({ pid }) => pid);
