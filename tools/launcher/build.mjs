import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { waitForLock } from '../setup/lock.mjs';
import { runNode } from './children.mjs';

/** The product's built files under dist/, made anew only when a source or they themselves have changed since. */

const AREAS = ['apps', 'libs', 'packages', 'tools'];
const SETTINGS = /^(package-lock\.json|nx\.json|\.swcrc|tsconfig.*\.json)$/;
const BUILD_DEADLINE_MS = 10 * 60_000;

/** @param {string} folder @returns {string[]} every file in it but installed packages; none when there is no folder */
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

/** @param {string} root @returns {string} changes with every source and every setting of the build */
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

/** The stamp tells what was built; that nothing was built over or taken away since is seen in the files. */
function isBuilt(root, stampFile, wanted) {
  const stamp = fs.existsSync(stampFile) ? JSON.parse(fs.readFileSync(stampFile, 'utf8')) : {};
  const files = builtFiles(root);
  const builtAtMs = fs.statSync(stampFile, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return (
    stamp.sources === wanted &&
    stamp.files === files.length &&
    files.every((file) => fs.statSync(file).mtimeMs <= builtAtMs)
  );
}

/** Built files whose source is gone would still be found, a removed migration for one. */
function removeOrphans(root) {
  for (const file of builtFiles(root)) {
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
    throw new Error(`The build failed:\n${error.message}`, { cause: error });
  } finally {
    lock.release();
  }
}
