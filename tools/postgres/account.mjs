import fs from 'node:fs';
import path from 'node:path';

/**
 * PostgreSQL refuses to run as root. When we are root it runs as an unprivileged account instead, without anything
 * being added to the system: a number is enough.
 *
 * @typedef {{ uid: number, gid: number, isOurs: boolean }} Account `isOurs`: the account this process runs as
 */

/** "nobody" on Linux. */
const UNPRIVILEGED_ID = 65534;

/**
 * The account that runs PostgreSQL on this data folder. Data that belong to some ordinary user stay theirs when root
 * comes along.
 * @param {string} dataDir
 * @returns {Account}
 */
export function chooseAccount(dataDir) {
  const owner = fs.statSync(dataDir, { throwIfNoEntry: false });
  if (process.getuid() !== 0) {
    if (owner && owner.uid !== process.getuid()) {
      throw new Error(
        `The database in ${dataDir} belongs to the account ${owner.uid}, not to this one (${process.getuid()}): ` +
          `it was first started by somebody else, root perhaps. Start it as that user, or choose another folder.`,
      );
    }
    return { uid: process.getuid(), gid: process.getgid(), isOurs: true };
  }
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, isOurs: false };
  return { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID, isOurs: false };
}

/** @param {Account} account @param {string} target whether the account may enter every folder on the way to it */
export function canReach({ uid, gid, isOurs }, target) {
  if (isOurs) return true;
  for (let place = fs.realpathSync(target); ; place = path.dirname(place)) {
    const { uid: owner, gid: group, mode } = fs.statSync(place);
    const right = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
    if ((mode & right) === 0) return false;
    if (place === path.dirname(place)) return true;
  }
}

/** @param {Account} account @param {string} folder hands the folder and all in it to the account */
export function handOver({ uid, gid, isOurs }, folder) {
  if (isOurs) return;
  for (const entry of fs.readdirSync(folder, { recursive: true })) {
    fs.lchownSync(path.join(folder, String(entry)), uid, gid);
  }
  fs.lchownSync(folder, uid, gid);
}

/** What `child_process.spawn` needs to start a program as the account. @param {Account} account */
export const spawnAs = ({ uid, gid, isOurs }) => (isOurs ? {} : { uid, gid });
