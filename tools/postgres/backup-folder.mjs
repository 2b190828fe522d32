import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { ensureWritableFolder, readJson, using, writeJson } from '../setup/state-file.mjs';
import { changeOwner } from './account.mjs';

/**
 * The folder that a server archives its write-ahead log to: `wal` has the log, `base` the base backups, and `database.json`
 * says which database they belong to.
 */

export const WAL_FOLDER = 'wal';
export const BASE_FOLDER = 'base';

/** Stands in the value of a setting for the path by which the server reaches the backup folder. */
export const BACKUP_FOLDER = '<backup folder>';

/** Chosen: the most that is lost with the disk of the database. Half of it doubles the size of the archive of an idle site. */
const ARCHIVE_TIMEOUT_SECONDS = 300;

/**
 * `basic_archive` is a module of PostgreSQL. It copies to a temporary file, flushes and renames it. It accepts a file that
 * is archived already, and refuses to replace one that differs.
 */
export const ARCHIVE_SETTINGS = {
  archive_mode: 'on',
  archive_library: 'basic_archive',
  'basic_archive.archive_directory': `${BACKUP_FOLDER}/${WAL_FOLDER}`,
  archive_timeout: `${ARCHIVE_TIMEOUT_SECONDS}s`,
};

/** Of copies that a crash has interrupted (PostgreSQL, appendix F, `basic_archive`). */
const TEMPORARY_PREFIX = 'archtemp';
const HISTORY_FILE = /^([0-9A-F]{8})\.history$/;

/** In a data folder that was restored: which restore it comes from. Base backups of it have it too. */
const RESTORE_FILE = 'restored.json';

/** Names the restore. Two restores of one archive begin the same timeline. @param {string} dataDir of a server that does not run */
export function markRestored(dataDir) {
  const file = path.join(dataDir, RESTORE_FILE);
  writeJson(file, { id: randomUUID() });
  const { uid, gid } = fs.statSync(path.join(dataDir, 'PG_VERSION'));
  fs.chownSync(file, uid, gid);
}

/** @param {string} dataDir @returns {string | null} null unless the database was restored */
function restoreIdOf(dataDir) {
  const remedy = 'Restore the database again.';
  return readJson(path.join(dataDir, RESTORE_FILE), { required: { id: 'text' }, remedy })?.id ?? null;
}

/**
 * Which database a data folder holds. A restored database has the identifier of the original, but another timeline and restore.
 * @param {string} dataDir
 * @returns {{ systemIdentifier: string, timeline: number, restoreId: string | null }}
 */
function readIdentity(dataDir) {
  const controlFile = path.join(dataDir, 'global/pg_control');
  const logFolder = path.join(dataDir, 'pg_wal');
  // The first field of the file is the system identifier (PostgreSQL, ControlFileData).
  const systemIdentifier = using(controlFile, 'read', () => fs.readFileSync(controlFile).readBigUInt64LE(0));
  const timelines = using(logFolder, 'read', () => fs.readdirSync(logFolder)).map((name) =>
    parseInt(HISTORY_FILE.exec(name)?.[1] ?? '1', 16),
  );
  return {
    systemIdentifier: String(systemIdentifier),
    timeline: Math.max(1, ...timelines),
    restoreId: restoreIdOf(dataDir),
  };
}

/**
 * Creates the folder, or checks that it belongs to the database. The server must not be running.
 * @param {{ account: import('./account.mjs').Account, dataDir: string, backupDir: string }} options
 * @throws if the folder has the backups of another database
 */
export function prepareBackupFolder({ account, dataDir, backupDir }) {
  ensureWritableFolder(backupDir, 0o700);
  if (fs.readdirSync(backupDir).length === 0) changeOwner(account, backupDir);
  const identity = readIdentity(dataDir);
  const identityFile = path.join(backupDir, 'database.json');
  if (!fs.existsSync(identityFile)) writeJson(identityFile, identity);
  const { systemIdentifier, timeline, restoreId } = readJson(identityFile, {
    required: { systemIdentifier: 'text' },
    remedy: 'Choose another folder for the backups, and keep this one.',
  });
  if (systemIdentifier !== identity.systemIdentifier) {
    throw new Error(`${backupDir} has the backups of another database. Choose another folder.`);
  }
  if (timeline !== identity.timeline || restoreId !== identity.restoreId) {
    throw new Error(
      `${backupDir} has the backups of this database from before it was restored. ` +
        'Keep them, and choose another folder for the restored database.',
    );
  }
  for (const name of [WAL_FOLDER, BASE_FOLDER]) {
    const folder = path.join(backupDir, name);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (fs.statSync(folder).uid !== account.uid) changeOwner(account, folder);
  }
  const archive = path.join(backupDir, WAL_FOLDER);
  for (const name of fs.readdirSync(archive).filter((file) => file.startsWith(TEMPORARY_PREFIX))) {
    fs.rmSync(path.join(archive, name));
  }
}
