import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { contentsOf } from './app-contents.mjs';
import { writeLockFile } from './lock-file.mjs';

/**
 * Collects what the image of one app holds, except its packages: node tools/images/collect-app.mjs <app> <folder>
 * `npm ci` in that folder then installs the app's packages in the versions of this checkout.
 */

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** @param {string} file */
const readJson = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));

const [app, target] = process.argv.slice(2);
if (!app || !target || !fs.existsSync(path.join(root, `dist/apps/${app}/src/main.js`))) {
  console.error('Usage: node tools/images/collect-app.mjs <app> <folder>, for a built app');
  process.exit(2);
}
const folder = path.resolve(target);
const { folders, dependencies } = contentsOf(root, app);
for (const name of folders) fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
const { version, license, engines } = readJson(path.join(root, 'package.json'));
const main = `dist/apps/${app}/src/main.js`;
const description = { name: app, version, private: true, license, engines, main, dependencies };
fs.writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(description, null, 2)}\n`);
writeLockFile(root, folder);
