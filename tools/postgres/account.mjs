import fs from 'node:fs';
import path from 'node:path';

/**
 * PostgreSQL refuses to run as root. A process of root runs it as an unprivileged account instead. The account needs no
 * entry in the system: a number is enough.
 *
 * @typedef {{ uid: number, gid: number, isOurs: boolean }} Account `isOurs`: the account this process runs as
 */

/** "nobody" on Linux. */
const UNPRIVILEGED_ID = 65534;

/** @returns {{ uid: number, gid: number }} @throws on Windows, which has no such numbers */
export function currentUser() {
  if (!process.getuid || !process.getgid) throw new Error('PostgreSQL cannot be started on Windows.');
  return { uid: process.getuid(), gid: process.getgid() };
}

/**
 * The account that runs PostgreSQL on this data folder: the owner of the folder, unless that is root.
 * @param {string} dataDir
 * @returns {Account}
 */
export function chooseAccount(dataDir) {
  const owner = fs.statSync(dataDir, { throwIfNoEntry: false });
  const user = currentUser();
  if (user.uid !== 0) {
    if (owner && owner.uid !== user.uid) {
      throw new Error(
        `The database in ${dataDir} belongs to the account ${owner.uid}, but this process runs as ${user.uid}: ` +
          `another account, such as root, has started it first. Start it as that account, or choose another folder.`,
      );
    }
    return { ...user, isOurs: true };
  }
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, isOurs: false };
  return { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID, isOurs: false };
}

/** Whether the account may enter every folder on the path to the target. @param {Account} account @param {string} target */
export function canReach({ uid, gid, isOurs }, target) {
  if (isOurs) return true;
  for (let place = fs.realpathSync(target); ; place = path.dirname(place)) {
    const { uid: owner, gid: group, mode } = fs.statSync(place);
    const right = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
    if ((mode & right) === 0) return false;
    if (place === path.dirname(place)) return true;
  }
}

/** Makes the account the owner of a folder and of all its files. @param {Account} account @param {string} folder */
export function changeOwner({ uid, gid, isOurs }, folder) {
  if (isOurs) return;
  for (const entry of fs.readdirSync(folder, { recursive: true })) {
    fs.lchownSync(path.join(folder, String(entry)), uid, gid);
  }
  fs.lchownSync(folder, uid, gid);
}

/** Options of `child_process.spawn` that start a program as the account. @param {Account} account */
export const spawnAs = ({ uid, gid, isOurs }) => (isOurs ? {} : { uid, gid });
