import fs from 'node:fs';
import path from 'node:path';
import { codeOf, messageOf } from './errors.mjs';

/**
 * Reads and writes the files that hold state: those of a site's data folder, of its backups and of the build. No message
 * contains anything of a file, because it may hold secrets.
 */

/** A file or folder that cannot be read or written, or holds something else than it should. */
export class StateFileError extends Error {}

/** By the code of Node's error. @type {Record<string, string>} */
const REASONS = {
  EROFS: 'it is on a read-only file system',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of its path is not a folder',
  EEXIST: 'a file has its name',
  EISDIR: 'it is a folder',
};

/** @param {string} place @returns {string} the place itself or its nearest parent that exists */
function nearestExisting(place) {
  return fs.existsSync(place) || place === path.dirname(place) ? place : nearestExisting(path.dirname(place));
}

/** @param {string} place @returns {string} empty unless the place belongs to another account than that of this process */
function describeOwner(place) {
  const owner = fs.statSync(nearestExisting(place), { throwIfNoEntry: false })?.uid;
  const user = process.getuid?.();
  if (owner === undefined || owner === user) return '';
  return `: it belongs to the account ${owner}, and this process runs as ${user}`;
}

/** @param {unknown} error @param {string} place @returns {string} why the place cannot be used */
function reasonOf(error, place) {
  const reason = REASONS[codeOf(error) ?? ''] ?? messageOf(error);
  return /^E(ACCES|PERM)$/.test(codeOf(error) ?? '') ? reason + describeOwner(place) : reason;
}

/**
 * @template T
 * @param {string} place
 * @param {string} verb `read` or `written`
 * @param {() => T} work
 * @returns {T}
 * @throws {StateFileError} that names the place and the reason, if the work fails
 */
export function using(place, verb, work) {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof StateFileError) throw cause;
    throw new StateFileError(`${place} cannot be ${verb}: ${reasonOf(cause, place)}`, { cause });
  }
}

/**
 * Creates a folder with its parents, or checks that an existing one can be written.
 * @param {string} folder
 * @param {number} [mode] of what is created
 * @throws {StateFileError}
 */
export function ensureWritableFolder(folder, mode) {
  using(folder, 'written', () => {
    // On a read-only file system the creation of several folders fails with ENOENT.
    fs.accessSync(nearestExisting(folder), fs.constants.W_OK);
    fs.mkdirSync(folder, { recursive: true, mode });
    fs.accessSync(folder, fs.constants.W_OK);
  });
}

/** Makes renames and new files in the folder outlive a power failure. @param {string} folder */
export function flushFolder(folder) {
  const descriptor = fs.openSync(folder, 'r');
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}

/**
 * Replaces a file that only its owner can read. After a crash or a power failure it has the old or the new content. Only one
 * process at a time may write a file.
 * @param {string} file
 * @param {unknown} content
 * @throws {StateFileError}
 */
export function writeJson(file, content) {
  const draft = `${file}.new`;
  using(file, 'written', () => {
    try {
      fs.rmSync(draft, { force: true });
      fs.writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true });
      fs.renameSync(draft, file);
      flushFolder(path.dirname(file));
    } catch (error) {
      fs.rmSync(draft, { force: true });
      throw error;
    }
  });
}

/** @param {string} text @returns {unknown} @throws without the text, a part of which is in the messages of JSON.parse */
function parse(text) {
  if (text.trim() === '') throw new StateFileError('it is empty');
  try {
    return JSON.parse(text);
  } catch (error) {
    const place = /at position \d+/.exec(messageOf(error))?.[0];
    throw new StateFileError(
      `it is not valid JSON${place ? ` ${place}` : ''} (${Buffer.byteLength(text)} bytes)`,
    );
  }
}

/** @typedef {'text' | 'object' | 'list' | 'filled list'} Kind what a field has to be */

/** @type {Record<Kind, (value: unknown) => boolean>} */
const KINDS = {
  text: (value) => typeof value === 'string' && value !== '',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  list: Array.isArray,
  'filled list': (value) => Array.isArray(value) && value.length > 0,
};

/**
 * @param {any} content
 * @param {Record<string, Kind>} required
 * @param {Record<string, Kind>} optional
 * @throws {StateFileError}
 */
function checkFields(content, required, optional) {
  if (!KINDS.object(content)) throw new StateFileError('it does not hold an object');
  for (const [name, kind] of Object.entries({ ...optional, ...required })) {
    const value = name.split('.').reduce((outer, key) => outer?.[key], content);
    if (value === undefined && !(name in required)) continue;
    if (value === undefined) throw new StateFileError(`${name} is missing`);
    if (!KINDS[kind](value))
      throw new StateFileError(`${name}: must be ${kind === 'object' ? 'an' : 'a'} ${kind}`);
  }
}

/**
 * @param {string} file with a JSON object
 * @param {{ required?: Record<string, Kind>, optional?: Record<string, Kind>, remedy: string }} expected its fields, by names
 *   such as `accounts.demo.password`. `remedy`: what to do with a damaged file
 * @returns {any} null if there is no file
 * @throws {StateFileError} that names the file if it cannot be read or holds something else
 */
export function readJson(file, { required = {}, optional = {}, remedy }) {
  const text = using(file, 'read', () => {
    try {
      return fs.readFileSync(file, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    }
  });
  if (text === null) return null;
  try {
    const content = parse(text);
    checkFields(content, required, optional);
    return content;
  } catch (cause) {
    throw new StateFileError(`${file} is damaged: ${messageOf(cause)}. ${remedy}`, { cause });
  }
}
