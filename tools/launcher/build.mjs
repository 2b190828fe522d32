import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { messageOf } from '../setup/errors.mjs';
import { waitForLock } from '../setup/lock.mjs';
import { runNode } from './processes/child-processes.mjs';

/** Builds the product into dist/, unless neither the sources nor the built files have changed since the last build. */

const AREAS = ['apps', 'libs', 'packages', 'tools'];
const SETTINGS = /^(package-lock\.json|nx\.json|\.swcrc|tsconfig.*\.json)$/;
const BUILD_DEADLINE_MS = 10 * 60_000;

/** @param {string} folder @returns {string[]} its files, except those in node_modules; none if the folder does not exist */
function filesOf(folder) {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.name !== 'node_modules')
    .flatMap((entry) => {
      const place = path.join(folder, entry.name);
      if (entry.isDirectory()) return filesOf(place);
      return entry.isFile() ? [place] : [];
    });
}

/** @param {string} root @returns {string} a hash over all sources and all settings of the build */
function fingerprint(root) {
  const settings = fs.readdirSync(root).filter((name) => SETTINGS.test(name));
  const sources = AREAS.flatMap((area) => filesOf(path.join(root, area)));
  const hash = createHash('sha256');
  for (const file of [...settings.map((name) => path.join(root, name)), ...sources]) {
    const content = fs.readFileSync(file);
    hash.update(`${path.relative(root, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** @param {string} root @returns {string[]} the built files */
const builtFiles = (root) => AREAS.flatMap((area) => filesOf(path.join(root, 'dist', area)));

/** @param {string} file @returns {{ sources?: string, files?: number }} empty if it is missing or damaged: then the product is built again */
function readStamp(file) {
  try {
    return Object(JSON.parse(fs.readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}

/**
 * True if the stamp file names the wanted fingerprint, and no built file was added, removed or changed after the stamp.
 * @param {string} root
 * @param {string} stampFile
 * @param {string} wanted fingerprint
 */
function isBuilt(root, stampFile, wanted) {
  const stamp = readStamp(stampFile);
  const files = builtFiles(root);
  const builtAtMs = fs.statSync(stampFile, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return (
    stamp.sources === wanted &&
    stamp.files === files.length &&
    files.every((file) => fs.statSync(file).mtimeMs <= builtAtMs)
  );
}

/** The names of the files that a bundler writes are not those of sources; it empties this folder itself. */
const BUNDLES = 'dist/apps/console-ui';

/** A built file that outlives its source would hide that something still imports it. @param {string} root */
function removeOrphans(root) {
  const bundles = path.join(root, BUNDLES) + path.sep;
  for (const file of builtFiles(root).filter((name) => !name.startsWith(bundles))) {
    const copied = path.relative(path.join(root, 'dist'), file);
    const compiled = copied.replace(/\.(d\.ts|js|js\.map)$/, '.ts');
    const hasSource = [copied, compiled].some((source) => fs.existsSync(path.join(root, source)));
    if (!hasSource) fs.rmSync(file);
  }
}

/**
 * @param {string} root
 * @param {{ signal?: AbortSignal, log: (line: string) => void }} options
 */
export async function ensureBuilt(root, { signal, log }) {
  const stampFile = path.join(root, 'dist/.build-stamp');
  if (isBuilt(root, stampFile, fingerprint(root))) return;
  const lock = await waitForLock(path.join(root, 'dist/.build-lock'), {
    deadlineMs: BUILD_DEADLINE_MS,
    onWait: () => log('Another process is building; waiting for it …'),
  });
  try {
    const sources = fingerprint(root);
    if (isBuilt(root, stampFile, sources)) return;
    log('Building …');
    fs.rmSync(stampFile, { force: true });
    await runNode(['node_modules/.bin/nx', 'run-many', '-t', 'build'], {
      cwd: root,
      env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' },
      signal,
    });
    removeOrphans(root);
    fs.writeFileSync(stampFile, JSON.stringify({ sources, files: builtFiles(root).length }));
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(`The build failed:\n${messageOf(error)}`, { cause: error });
  } finally {
    lock.release();
  }
}
