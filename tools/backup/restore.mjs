import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { markRestored, BACKUP_FOLDER, WAL_FOLDER } from '../postgres/backup-folder.mjs';
import { hasServer, stopLeftover } from '../postgres/leftover.mjs';
import { codeOf, messageOf } from '../setup/errors.mjs';
import { tryLock } from '../setup/lock.mjs';
import { flushFolder } from '../setup/state-file.mjs';
import { listBaseBackups } from './base-backups.mjs';
import { givenBackupDir, readOptions, Refusal, runCommand, secondsSince, siteFolder } from './command.mjs';
import { checkFiles, readManifest } from './manifest.mjs';
import { findGap } from './wal-archive.mjs';
import { recoverDatabase } from '../postgres/postgres.mjs';

/**
 * `npm run restore`: makes a data folder from a base backup and the archived log, as it was at a moment or at the end of
 * the archive. It works in a folder of its own, which gets its name when it is complete.
 *
 * @typedef {import('./base-backups.mjs').BaseBackup} BaseBackup
 */

/** As far as PostgreSQL counts. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$/;
/** Of the site of `npm start`. */
const DATA_FOLDER = 'postgres';
const WAL_FILE = /^[0-9A-F]{24}$|^[0-9A-F]{8}\.history$/;

/** What PostgreSQL logs at the end of a recovery. */
const LAST_TRANSACTION = /last completed transaction was at log time (\S+) (\S+)\+00/;
const ENDED_EARLY = /recovery ended before configured recovery target was reached/;

/** @param {string} log @returns {string | null} the instant of the last transaction that was replayed */
function lastTransactionOf(log) {
  const match = LAST_TRANSACTION.exec(log);
  return match && `${match[1]}T${match[2]}Z`;
}

/**
 * Runs PostgreSQL on an extracted base backup until it has replayed the archived log.
 * @param {{ dataDir: string, backupDir: string, time: string | undefined }} options `time`: everything that was committed
 *   until then is restored; without it all that is archived
 * @returns {Promise<string | null>} the instant of the last restored transaction; null if the log has none
 * @throws Refusal if the archive ends before the moment
 */
async function recover({ dataDir, backupDir, time }) {
  fs.writeFileSync(path.join(dataDir, 'recovery.signal'), '');
  const logFile = `${dataDir}.log`;
  fs.rmSync(logFile, { force: true });
  const settings = {
    restore_command: `cp '${BACKUP_FOLDER}/${WAL_FOLDER}/%f' '%p'`,
    recovery_target_action: 'promote',
    ...(time === undefined ? {} : { recovery_target_time: time.replace('T', ' ').replace('Z', '+00') }),
  };
  try {
    await recoverDatabase({ dataDir, backupDir, settings, logFile });
    return lastTransactionOf(fs.readFileSync(logFile, 'utf8'));
  } catch (cause) {
    const log = messageOf(cause);
    if (!ENDED_EARLY.test(log)) throw cause;
    const last = lastTransactionOf(log);
    throw new Refusal(
      `--time: must not be after the last transaction in the archive${last ? `, of ${last}` : ''}. ` +
        'Without --time all of the archive is restored.',
      { cause },
    );
  } finally {
    fs.rmSync(logFile, { force: true });
  }
}

/** @param {string | undefined} text */
function checkTime(text) {
  if (text === undefined) return;
  if (!INSTANT.test(text) || Number.isNaN(Date.parse(text))) {
    throw new Refusal(`--time: must be an instant such as 2026-01-31T09:30:00Z, not ${JSON.stringify(text)}`);
  }
  if (Date.parse(text) > Date.now()) throw new Refusal(`--time: must be in the past, not ${text}`);
}

/** @param {string} backupDir @param {string | undefined} time @returns {BaseBackup} the newest one that can be used */
function chooseBaseBackup(backupDir, time) {
  const all = listBaseBackups(backupDir);
  const [oldest] = all;
  if (!oldest) throw new Refusal(`${backupDir} has no base backup.`);
  const usable =
    time === undefined ? all : all.filter(({ completeAt }) => completeAt.getTime() <= Date.parse(time));
  const newest = usable.at(-1);
  if (newest) return newest;
  throw new Refusal(
    `--time: must not be before ${oldest.completeAt.toISOString()}, when the oldest base backup was complete`,
  );
}

/** @param {string} dataDir @param {boolean} replaces */
function checkTarget(dataDir, replaces) {
  const found = fs.statSync(dataDir, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) throw new Refusal(`--to: ${dataDir} is not a folder`);
  if (!found || fs.readdirSync(dataDir).length === 0) return;
  if (hasServer(dataDir)) {
    throw new Refusal(`--to: a database is running on ${dataDir}. Stop it first, or choose another folder.`);
  }
  if (!replaces) throw new Refusal(`--to: ${dataDir} is not empty. With --replace it is moved aside.`);
}

/**
 * Keeps other restores, and the start of the site, from the folder.
 * @param {string} dataDir
 * @returns {import('../setup/lock.mjs').Lock}
 */
function lockTarget(dataDir) {
  const site = siteFolder();
  const isSite = dataDir === path.join(site, DATA_FOLDER);
  const { lock } = tryLock(isSite ? path.join(site, 'running.lock') : `${dataDir}.lock`);
  if (lock) return lock;
  throw new Refusal(`--to: ${dataDir} is in use by ${isSite ? 'a running site' : 'another restore'}.`);
}

/** @param {string} backupDir @param {BaseBackup} base */
function checkLog(backupDir, { folder }) {
  const beforeGap = findGap(backupDir, readManifest(folder).startPosition);
  if (beforeGap) {
    throw new Refusal(
      `The archive lacks the file after ${beforeGap}. Restore an earlier moment with --time.`,
    );
  }
}

/** @param {string} backup @param {string} dataDir new */
function extract(backup, dataDir) {
  const [archive] = ['base.tar.gz', 'base.tar'].map((name) => path.join(backup, name)).filter(fs.existsSync);
  if (!archive) throw new Error(`${backup} is not a complete base backup: it has no base.tar.gz.`);
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const compression = archive.endsWith('.gz') ? ['--gzip'] : [];
  const args = ['--extract', ...compression, '--no-same-owner', '--file', archive, '--directory', dataDir];
  try {
    execFileSync('tar', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (cause) {
    const reason = codeOf(cause) === 'ENOENT' ? 'the program tar is not installed' : messageOf(cause);
    throw new Error(`${archive} cannot be extracted: ${reason}`, { cause });
  }
}

/** Adds what the lost server had not archived yet. @param {string} walFolder @param {string} dataDir */
function copyLog(walFolder, dataDir) {
  for (const name of fs.readdirSync(walFolder).filter((file) => WAL_FILE.test(file)))
    fs.copyFileSync(path.join(walFolder, name), path.join(dataDir, 'pg_wal', name));
}

/** @param {string} staging @param {string} dataDir @returns {string | null} where the earlier content is now */
function putInPlace(staging, dataDir) {
  const isOccupied = fs.existsSync(dataDir) && fs.readdirSync(dataDir).length > 0;
  const aside = isOccupied ? `${dataDir}.replaced-${new Date().toISOString().replace(/[-:]/g, '')}` : null;
  if (aside) fs.renameSync(dataDir, aside);
  fs.renameSync(staging, dataDir);
  flushFolder(path.dirname(dataDir));
  return aside;
}

/** @param {{ base: BaseBackup, backupDir: string, dataDir: string, time?: string, walFolder?: string }} options */
async function restore({ base, backupDir, dataDir, time, walFolder }) {
  const startedAtMs = Date.now();
  const staging = `${dataDir}.restoring`;
  const removeStaging = async () => {
    if (!fs.existsSync(staging)) return;
    await stopLeftover(staging);
    fs.rmSync(staging, { recursive: true });
  };
  await removeStaging();
  try {
    extract(base.folder, staging);
    await checkFiles(readManifest(base.folder), staging);
    if (walFolder) copyLog(walFolder, staging);
    const last = await recover({ dataDir: staging, backupDir, time });
    markRestored(staging);
    const aside = putInPlace(staging, dataDir);
    console.log(`Restored ${dataDir} in ${secondsSince(startedAtMs)} from the base backup ${base.folder}.`);
    console.log(
      last ? `Its last transaction is of ${last}.` : 'The log had no transaction after the base backup.',
    );
    if (aside) console.log(`The earlier data are in ${aside}.`);
    console.log('Give the restored database a new BACKUP_DIR, and back it up.');
  } finally {
    await removeStaging();
  }
}

await runCommand(async () => {
  const { from, to, time, wal, replace } = readOptions(['from', 'to', 'time', 'wal'], ['replace']);
  checkTime(time);
  const backupDir = from ? path.resolve(from) : givenBackupDir();
  if (!backupDir)
    throw new Refusal('--from: must be the folder of the backups; it is needed without BACKUP_DIR');
  if (/['%]/.test(backupDir)) throw new Refusal("--from: must not contain ' or %");
  const walFolder = wal && path.resolve(wal);
  if (walFolder && (path.basename(walFolder) !== 'pg_wal' || !fs.existsSync(walFolder))) {
    throw new Refusal(`--wal: must be the folder pg_wal of the lost database, not ${walFolder}`);
  }
  const base = chooseBaseBackup(backupDir, time);
  if (time === undefined) checkLog(backupDir, base);
  const dataDir = path.resolve(to ?? path.join(siteFolder(), DATA_FOLDER));
  fs.mkdirSync(path.dirname(dataDir), { recursive: true });
  const lock = lockTarget(dataDir);
  try {
    checkTarget(dataDir, replace === 'true');
    await restore({ base, backupDir, dataDir, time, walFolder });
  } finally {
    lock.release();
  }
});
