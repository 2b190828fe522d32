import path from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../setup/errors.mjs';
import { readPlatformFile } from '../setup/platform-file.mjs';
import { StateFileError } from '../setup/state-file.mjs';

/** What `npm run backup` and `npm run restore` have in common. */

const root = path.resolve(import.meta.dirname, '../..');
const FAILED = 1;
const REFUSED = 2;

/** A command that cannot begin: its arguments or the place that it should work on are wrong. */
export class Refusal extends Error {}

/** The data folder of `npm start`. */
export const siteFolder = () => path.resolve(root, process.env.DATA_DIR || '.data');

/** @returns {{ database: { url: string }, backup_dir?: string } | null} of the site that was started last; null if there is none */
export const readSite = () => readPlatformFile(siteFolder());

/** @returns {string | undefined} absolute */
export function givenBackupDir() {
  const given = process.env.BACKUP_DIR || readSite()?.backup_dir;
  return given && path.resolve(root, given);
}

/**
 * @param {string[]} names of options with a value
 * @param {string[]} [flags] names of options without one
 * @returns {Record<string, string | undefined>} a flag is `'true'`
 */
export function readOptions(names, flags = []) {
  try {
    const { values } = parseArgs({
      options: Object.fromEntries([
        ...names.map((name) => [name, { type: /** @type {const} */ ('string') }]),
        ...flags.map((name) => [name, { type: /** @type {const} */ ('boolean') }]),
      ]),
    });
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
  } catch (cause) {
    const known = [...names.map((name) => `--${name} <value>`), ...flags.map((name) => `--${name}`)];
    throw new Refusal(`${messageOf(cause)} The options are ${known.join(', ')}.`, { cause });
  }
}

/**
 * Runs a command. If it throws, prints the message and sets the exit code: 2 if it was refused or a file that it needs is damaged, 1
 * if it has failed.
 * @param {() => Promise<void>} work
 */
export async function runCommand(work) {
  try {
    await work();
  } catch (error) {
    console.error(messageOf(error));
    process.exitCode = error instanceof Refusal || error instanceof StateFileError ? REFUSED : FAILED;
  }
}

/** @param {number} bytes */
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/** @param {number} sinceMs @returns {string} */
export const secondsSince = (sinceMs) => `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;
