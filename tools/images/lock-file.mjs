import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** @typedef {{ packages: Record<string, { version: string, integrity?: string }> }} LockFile */

/** @param {string} file @returns {LockFile} */
const readLockFile = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));

/**
 * Writes the lock file of the package.json in a folder: npm takes out of that of the checkout what this package does not need.
 * @param {string} root of the checkout
 * @param {string} folder
 */
export function writeLockFile(root, folder) {
  const file = path.join(folder, 'package-lock.json');
  fs.copyFileSync(path.join(root, 'package-lock.json'), file);
  execFileSync('npm', ['install', '--package-lock-only', '--offline', '--ignore-scripts', '--no-audit'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const tested = readLockFile(path.join(root, 'package-lock.json'));
  const pruned = readLockFile(file);
  const others = Object.keys(pruned.packages).filter(
    (place) => place && pruned.packages[place]?.integrity !== tested.packages[place]?.integrity,
  );
  if (others.length > 0) throw new Error(`npm would install other versions of ${others.join(', ')}.`);
}
