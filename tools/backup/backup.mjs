import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { BASE_FOLDER, WAL_FOLDER } from '../postgres/backup-folder.mjs';
import { messageOf } from '../setup/errors.mjs';
import { tryLock } from '../setup/lock.mjs';
import { flushFolder, using } from '../setup/state-file.mjs';
import { INCOMPLETE, nameOf, removeIncomplete, removeOldBackups } from './base-backups.mjs';
import {
  givenBackupDir,
  megabytes,
  readOptions,
  readSite,
  Refusal,
  runCommand,
  secondsSince,
} from './command.mjs';
import { readManifest } from './manifest.mjs';

/**
 * `npm run backup`: takes a base backup of a running PostgreSQL, by default that of `npm start`, which archives its log to
 * BACKUP_DIR. The server itself writes the backup, so it has to run on this machine.
 */

/** The limits of PostgreSQL (`BASE_BACKUP`, `MAX_RATE`), in kB a second. */
const RATE = { lowest: 32, highest: 1_048_576 };

/** @param {string | undefined} text @param {string} name @param {number} lowest @param {number} highest */
function readNumber(text, name, lowest, highest) {
  if (text === undefined) return undefined;
  const value = /^\d{1,7}$/.test(text) ? Number(text) : NaN;
  if (value >= lowest && value <= highest) return value;
  throw new Refusal(
    `--${name}: must be a whole number from ${lowest} to ${highest}, not ${JSON.stringify(text)}`,
  );
}

/** @returns {string} the database's address */
function databaseUrl() {
  const { DATABASE_URL, DATABASE_URL_FILE } = process.env;
  if (DATABASE_URL && DATABASE_URL_FILE)
    throw new Refusal('Set DATABASE_URL or DATABASE_URL_FILE, not both.');
  if (DATABASE_URL_FILE)
    return using(DATABASE_URL_FILE, 'read', () => fs.readFileSync(DATABASE_URL_FILE, 'utf8').trim());
  const url = DATABASE_URL || readSite()?.database.url;
  if (!url)
    throw new Refusal('There is no site. Start it with BACKUP_DIR=<folder> npm start, or set DATABASE_URL.');
  return url;
}

/**
 * @template T
 * @param {string} url
 * @param {{ replication?: string }} options
 * @param {(client: pg.Client) => Promise<T>} work
 */
async function withClient(url, options, work) {
  const client = new pg.Client({ connectionString: url, ...options });
  // A connection that breaks fails the statement, too.
  client.on('error', () => undefined);
  client.on('notice', ({ severity, message }) => {
    if (severity === 'WARNING') console.error(message);
  });
  try {
    await client.connect();
  } catch (cause) {
    throw new Refusal(`The database cannot be reached: ${messageOf(cause)}`, { cause });
  }
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** @param {string} url @returns {Promise<string>} the backup folder by the path that the server uses */
async function readServerFolder(url) {
  const { mode, folder } = await withClient(url, {}, async (client) => {
    const { rows } = await client.query(
      `SELECT current_setting('archive_mode') AS mode, current_setting('basic_archive.archive_directory', true) AS folder`,
    );
    return rows[0];
  });
  if (mode !== 'off' && folder && path.basename(folder) === WAL_FOLDER) return path.dirname(folder);
  throw new Refusal(
    'The database does not archive its log. Start the site with BACKUP_DIR=<folder> npm start.',
  );
}

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "''")}'`;

/**
 * Resolves when the backup is complete, and the log that belongs to it is archived.
 * @param {string} url
 * @param {string} target absolute, by the path that the server uses
 * @param {number | undefined} maxRate in kB a second
 */
async function takeBaseBackup(url, target, maxRate) {
  const options = [
    `LABEL 'npm run backup', CHECKPOINT 'fast', WAL true, MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256'`,
    `TARGET 'server', TARGET_DETAIL ${quoted(target)}, COMPRESSION 'gzip', COMPRESSION_DETAIL '1'`,
    ...(maxRate === undefined ? [] : [`MAX_RATE ${maxRate}`]),
  ];
  await withClient(url, { replication: 'true' }, async (client) => {
    try {
      await client.query(`BASE_BACKUP (${options.join(', ')})`);
    } catch (cause) {
      throw new Error(`The backup has failed: ${messageOf(cause)}`, { cause });
    }
  });
}

/** @param {string} url @returns {Promise<Date>} by the clock of the server, rounded up to milliseconds */
const readClock = (url) =>
  withClient(url, {}, async (client) => {
    const { rows } = await client.query("SELECT clock_timestamp() + interval '1 millisecond' AS now");
    return rows[0].now;
  });

/** @param {string} folder */
const sizeOf = (folder) =>
  fs.readdirSync(folder).reduce((bytes, name) => bytes + fs.statSync(path.join(folder, name)).size, 0);

/** @param {string} backupDir @param {number} keep */
function describeRemoval(backupDir, keep) {
  const removed = removeOldBackups(backupDir, keep);
  console.log(`Removed ${removed.backups} older backups and ${removed.logFiles} files of the log.`);
}

await runCommand(async () => {
  const options = readOptions(['keep', 'max-rate']);
  const keep = readNumber(options.keep, 'keep', 1, 1_000);
  const maxRate = readNumber(options['max-rate'], 'max-rate', RATE.lowest, RATE.highest);
  const url = databaseUrl();
  const serverFolder = await readServerFolder(url);
  const backupDir = givenBackupDir();
  if (!backupDir || !fs.existsSync(path.join(backupDir, BASE_FOLDER))) {
    throw new Refusal(
      `BACKUP_DIR: must be the folder that the database archives its log to, not ${backupDir}`,
    );
  }
  const { lock } = tryLock(path.join(backupDir, 'backup.lock'));
  if (!lock) throw new Refusal(`Another backup is being written to ${backupDir}.`);
  try {
    const startedAtMs = Date.now();
    removeIncomplete(backupDir);
    const name = `${nameOf(new Date())}${INCOMPLETE}`;
    const draft = path.join(backupDir, BASE_FOLDER, name);
    await takeBaseBackup(url, path.join(serverFolder, BASE_FOLDER, name), maxRate);
    if (!fs.existsSync(draft)) {
      throw new Error(`The server has not written to ${backupDir}, but to its own ${serverFolder}.`);
    }
    const databaseBytes = readManifest(draft).files.reduce((bytes, { Size }) => bytes + Size, 0);
    const completeAt = await readClock(url);
    const folder = path.join(backupDir, BASE_FOLDER, nameOf(completeAt));
    flushFolder(draft);
    fs.renameSync(draft, folder);
    flushFolder(path.dirname(folder));
    console.log(
      `Backed up ${megabytes(databaseBytes)} to ${megabytes(sizeOf(folder))} in ${secondsSince(startedAtMs)}: ${folder}`,
    );
    console.log(`Moments from ${completeAt.toISOString()} on can be restored.`);
    if (keep !== undefined) describeRemoval(backupDir, keep);
  } finally {
    lock.release();
  }
});
