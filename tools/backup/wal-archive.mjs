import fs from 'node:fs';
import path from 'node:path';
import { WAL_FOLDER } from '../postgres/backup-folder.mjs';

/**
 * The files of the archived log. A name consists of the timeline and the number of the segment, 8 and 16 digits. A backup
 * folder has one timeline only.
 */

/** The digits of the segment, at the beginning of a name. The rest is empty, or the suffix of a backup's history. */
const NAME = /^[0-9A-F]{8}([0-9A-F]{16})(?=\.|$)/;
const SEGMENT = /^[0-9A-F]{24}$/;
/** The default of PostgreSQL, with which all our databases are created. */
const SEGMENT_BYTES = 16n * 1024n * 1024n;
/** The second 8 digits count segments of 4 GiB. */
const SEGMENTS_PER_FILE = 0x1_0000_0000n / SEGMENT_BYTES;

/** @param {string} digits */
const segmentNumber = (digits) =>
  BigInt(`0x${digits.slice(0, 8)}`) * SEGMENTS_PER_FILE + BigInt(`0x${digits.slice(8)}`);

/** @param {string} position such as `0/4000028` */
function segmentAt(position) {
  const [high = '', low = ''] = position.split('/');
  return BigInt(`0x${high}`) * SEGMENTS_PER_FILE + BigInt(`0x${low}`) / SEGMENT_BYTES;
}

/** @param {string} backupDir @returns {{ name: string, segment: bigint }[]} in the order of the log */
function listLog(backupDir) {
  const folder = path.join(backupDir, WAL_FOLDER);
  if (!fs.existsSync(folder))
    throw new Error(`${backupDir} has no archived log: there is no folder ${WAL_FOLDER}.`);
  return fs
    .readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const digits = NAME.exec(name)?.[1];
      return digits ? [{ name, segment: segmentNumber(digits) }] : [];
    });
}

/**
 * @param {string} backupDir
 * @param {string} position in the log
 * @returns {number} how many files were removed
 */
export function removeLogBefore(backupDir, position) {
  const first = segmentAt(position);
  const unneeded = listLog(backupDir).filter(({ segment }) => segment < first);
  for (const { name } of unneeded) fs.rmSync(path.join(backupDir, WAL_FOLDER, name));
  return unneeded.length;
}

/**
 * Recovery takes a missing file for the end of the log.
 * @param {string} backupDir
 * @param {string} position in the log
 * @returns {string | null} the last file before the first one that is missing since the position; null if none is
 */
export function findGap(backupDir, position) {
  const first = segmentAt(position);
  const files = listLog(backupDir).filter(({ name, segment }) => SEGMENT.test(name) && segment >= first);
  const beforeGap = files.find(
    ({ segment }, index) => files[index + 1] && files[index + 1]?.segment !== segment + 1n,
  );
  return beforeGap?.name ?? null;
}
