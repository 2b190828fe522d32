import fs from 'node:fs';
import path from 'node:path';
import { findMisplacedDataAccess, readDataAccess } from './data-access.mjs';
import { findModuleViolations } from './feature-modules.mjs';
import { sourceFilesIn } from './source-files.mjs';

const FOLDERS = ['apps', 'libs', 'packages', 'tools'];
/** An app module that lists areas only is shorter. */
const MAX_APP_MODULE_LINES = 60;

/** @param {string} root of the repository @returns {string[]} problems, each with its place */
export function checkStructure(root) {
  const apps = path.join(root, 'apps');
  const names = fs.existsSync(apps) ? fs.readdirSync(apps).sort() : [];
  return [
    ...names.flatMap((name) => findModuleViolations(root, `apps/${name}`)),
    ...findLongAppModules(root),
    ...findMisplacedDataAccess(readDataAccess(root)),
  ].map(({ place, problem }) => `${place}: ${problem}`);
}

/** @param {string} root of the repository @returns {{ place: string, problem: string }[]} `place`: relative path */
function findLongAppModules(root) {
  return FOLDERS.flatMap((folder) => sourceFilesIn(path.join(root, folder)))
    .filter((file) => path.basename(file) === 'app.module.ts')
    .map((file) => ({ file, lines: fs.readFileSync(file, 'utf8').trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > MAX_APP_MODULE_LINES)
    .map(({ file, lines }) => ({
      place: path.relative(root, file),
      problem: `has ${lines} lines, at most ${MAX_APP_MODULE_LINES} are allowed: move providers to feature modules`,
    }));
}
