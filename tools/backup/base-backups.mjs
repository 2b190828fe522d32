import fs from 'node:fs';
import path from 'node:path';
import { BASE_FOLDER } from '../postgres/backup-folder.mjs';
import { flushFolder } from '../setup/state-file.mjs';
import { readManifest } from './manifest.mjs';
import { removeLogBefore } from './wal-archive.mjs';

/**
 * The base backups of a backup folder. Each is named after the moment at which it was complete: every moment from then on
 * can be restored from it. What is incomplete has another name.
 *
 * @typedef {{ folder: string, completeAt: Date }} BaseBackup
 */

/** Ends the names of backups that are being written or removed. */
export const INCOMPLETE = '.incomplete';

const NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)\.(\d{3})Z$/;

/** @param {Date} completeAt */
export const nameOf = (completeAt) => completeAt.toISOString().replace(/[-:]/g, '');

/** @param {string} backupDir @returns {BaseBackup[]} oldest first */
export function listBaseBackups(backupDir) {
  const parent = path.join(backupDir, BASE_FOLDER);
  if (!fs.existsSync(parent)) return [];
  return fs
    .readdirSync(parent)
    .sort()
    .flatMap((name) => {
      const match = NAME.exec(name);
      if (!match) return [];
      const [, year, month, day, hour, minute, second, millis] = match;
      const completeAt = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${millis}Z`);
      return [{ folder: path.join(parent, name), completeAt }];
    });
}

/** @param {string} folder */
function removeBaseBackup(folder) {
  const aside = folder.endsWith(INCOMPLETE) ? folder : folder + INCOMPLETE;
  if (aside !== folder) fs.renameSync(folder, aside);
  flushFolder(path.dirname(folder));
  fs.rmSync(aside, { recursive: true });
}

/** Removes what an interrupted backup or removal has left. @param {string} backupDir */
export function removeIncomplete(backupDir) {
  const parent = path.join(backupDir, BASE_FOLDER);
  for (const name of fs.readdirSync(parent).filter((each) => each.endsWith(INCOMPLETE)))
    removeBaseBackup(path.join(parent, name));
}

/**
 * Removes all but the newest base backups, and the archived log from before them.
 * @param {string} backupDir
 * @param {number} keep at least 1
 * @returns {{ backups: number, logFiles: number }} how many were removed
 */
export function removeOldBackups(backupDir, keep) {
  const all = listBaseBackups(backupDir);
  const [oldestKept] = all.slice(-keep);
  if (!oldestKept) return { backups: 0, logFiles: 0 };
  const { startPosition } = readManifest(oldestKept.folder);
  const old = all.slice(0, -keep);
  // Before the log, so that there is never a backup without its log.
  for (const { folder } of old) removeBaseBackup(folder);
  return { backups: old.length, logFiles: removeLogBefore(backupDir, startPosition) };
}
