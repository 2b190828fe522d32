import fs from 'node:fs';
import path from 'node:path';

/**
 * What one app needs at runtime: found by following the imports of its compiled files from folder to folder.
 *
 * @typedef {object} AppContents
 * @property {string[]} folders the app's and those of the libraries that it reaches, relative to the root: `dist/libs/http`
 * @property {Record<string, string>} dependencies the packages that these files import, with their versions
 */

/**
 * What an image holds beside its app and what that imports: the pages that the console serves, and the archive of usage events.
 * @type {Record<string, string[]>}
 */
const ADDITIONS = { console: ['dist/apps/console-ui', 'dist/libs/usage-archive'] };

const IMPORT = /(?:require|require\.resolve|import)\(\s*["'`]([^"'`]+)["'`]\s*\)/g;

/** @param {string} folder @returns {string[]} compiled files in it */
export const scriptsIn = (folder) =>
  fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => path.join(folder, name));

/** @param {string} file @returns {string[]} what it requires or imports by a literal */
export const importsOf = (file) =>
  [...fs.readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, name = '']) => name);

/** @param {string} name such as `@nestjs/common/constants` @returns {string} `@nestjs/common` */
export const packageOf = (name) =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');

/** @param {string} root @param {string} file below dist @returns {string} `dist/libs/http` of `dist/libs/http/src/index` */
const folderOf = (root, file) => path.relative(root, file).split(path.sep).slice(0, 3).join('/');

/**
 * @param {string} root of a built checkout
 * @param {string} app
 * @returns {AppContents}
 */
export function contentsOf(root, app) {
  const { dependencies: locked } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const folders = [`dist/apps/${app}`, ...(ADDITIONS[app] ?? [])];
  const packages = new Set();
  // The list grows while it is read.
  for (const folder of folders) {
    for (const script of scriptsIn(path.join(root, folder))) {
      for (const name of importsOf(script)) {
        const reached = name.startsWith('.') && folderOf(root, path.resolve(path.dirname(script), name));
        if (reached && !folders.includes(reached)) folders.push(reached);
        else if (packageOf(name) in locked) packages.add(packageOf(name));
      }
    }
  }
  return {
    folders: folders.sort(),
    dependencies: Object.fromEntries([...packages].sort().map((name) => [name, locked[name]])),
  };
}
