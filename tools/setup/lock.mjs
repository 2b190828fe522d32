import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { codeOf } from './errors.mjs';
import { processIdentity } from './processes.mjs';

/**
 * A lock between processes of one machine: a folder with the list of the processes that hold it. It is created and
 * removed atomically, by a rename. A lock whose processes have all ended is taken over.
 *
 * @typedef {{ pid: number, identity: string | null }} Member
 * @typedef {{ adopt(pid: number): void, release(): void }} Lock
 * @typedef {{ ownerPid: number | null, orphanPids: number[] }} Holder
 *   `ownerPid` is null if the owner has ended and only processes that it has started (`orphanPids`) are running.
 */

/** The lock has become another process's, or nobody's. */
const TAKEN = ['ENOENT', 'ENOTEMPTY', 'EEXIST'];

/** @param {Member} member */
const isAlive = ({ pid, identity }) => identity !== null && processIdentity(pid) === identity;

/** @param {any} value @returns {value is Member} */
const isMember = (value) => Number.isInteger(value?.pid);

/** @param {string} folder @returns {Member[] | null} null if there is no lock, or its list is damaged. What is no member is left out */
function readMembers(folder) {
  const file = path.join(folder, 'members.json');
  try {
    const members = JSON.parse(fs.readFileSync(file, 'utf8'));
    return Array.isArray(members) ? members.filter(isMember) : null;
  } catch (error) {
    // A power failure may have emptied the file; it has ended the processes, too.
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** @param {string} folder @param {Member[]} members */
function writeMembers(folder, members) {
  const draft = path.join(folder, `members.json.${process.pid}`);
  fs.writeFileSync(draft, JSON.stringify(members));
  fs.renameSync(draft, path.join(folder, 'members.json'));
}

/**
 * Removes the lock of these members. Another process may take over an abandoned lock at the same moment, so the folder is
 * first moved aside and read again, and moved back if it has other members.
 * @param {string} folder
 * @param {Member[] | null} members
 */
function discard(folder, members) {
  const aside = `${folder}.${randomBytes(6).toString('hex')}`;
  try {
    fs.renameSync(folder, aside);
    if (JSON.stringify(readMembers(aside)) !== JSON.stringify(members)) return fs.renameSync(aside, folder);
  } catch (error) {
    if (TAKEN.includes(codeOf(error) ?? '')) return;
    throw error;
  }
  fs.rmSync(aside, { recursive: true, force: true });
}

/** @param {string} folder @returns {Lock | null} null if it is held */
function create(folder) {
  fs.mkdirSync(path.dirname(folder), { recursive: true });
  const draft = fs.mkdtempSync(`${folder}.`);
  let members = [{ pid: process.pid, identity: processIdentity(process.pid) }];
  try {
    writeMembers(draft, members);
    fs.renameSync(draft, folder);
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true });
    if (TAKEN.includes(codeOf(error) ?? '')) return null;
    throw error;
  }
  return {
    adopt(pid) {
      members = [...members.filter(isAlive), { pid, identity: processIdentity(pid) }];
      writeMembers(folder, members);
    },
    release: () => discard(folder, members),
  };
}

/**
 * @param {string} folder
 * @returns {{ lock: Lock, holder?: undefined } | { lock?: undefined, holder: Holder }}
 */
export function tryLock(folder) {
  for (;;) {
    const lock = create(folder);
    if (lock) return { lock };
    const members = readMembers(folder);
    const running = (members ?? []).filter(isAlive);
    const [first] = running;
    if (first) {
      const ownerPid = first.pid === members?.[0]?.pid ? first.pid : null;
      return { holder: { ownerPid, orphanPids: running.map((member) => member.pid) } };
    }
    discard(folder, members);
  }
}

/**
 * Waits until the lock is free.
 * @param {string} folder
 * @param {{ deadlineMs: number, onWait?: (holder: Holder) => void }} options
 * @returns {Promise<Lock>}
 */
export async function waitForLock(folder, { deadlineMs, onWait }) {
  const deadline = Date.now() + deadlineMs;
  for (let first = true; ; first = false) {
    const { lock, holder } = tryLock(folder);
    if (lock) return lock;
    if (first) onWait?.(holder);
    if (Date.now() > deadline) {
      throw new Error(
        `${folder} is still held by process ${holder.ownerPid ?? holder.orphanPids.join(', ')}.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
