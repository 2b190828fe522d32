import fs from 'node:fs';
import path from 'node:path';
import { findMisplacedDataAccess, readDataAccess } from './data-access.mjs';
import { findModuleViolations } from './feature-modules.mjs';
import { components, isTestFile, parseFile, sourceFilesIn } from './source-files.mjs';

const FOLDERS = ['apps', 'libs', 'packages', 'tools'];
/** An app module that lists areas only is shorter. */
const MAX_APP_MODULE_LINES = 60;

/** @param {string} root of the repository @returns {string[]} problems, each with its place */
export function checkStructure(root) {
  const apps = path.join(root, 'apps');
  const names = fs.existsSync(apps) ? fs.readdirSync(apps).sort() : [];
  const parse = memoized(parseFile);
  return [
    ...names.flatMap((name) => findModuleViolations(root, `apps/${name}`, parse)),
    ...findFileCycles(root, parse),
    ...findLongAppModules(root),
    ...findMisplacedDataAccess(readDataAccess(root)),
  ].map(({ place, problem }) => `${place}: ${problem}`);
}

/** @template Result @param {(file: string) => Result} read @returns {(file: string) => Result} reads each file once */
function memoized(read) {
  /** @type {Map<string, Result>} */
  const results = new Map();
  return (file) => {
    const known = results.get(file) ?? read(file);
    results.set(file, known);
    return known;
  };
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

/**
 * Finds files that import each other in a circle: who reads one has to know the other. Imports of types count.
 * @param {string} root of the repository @param {typeof parseFile} parse
 * @returns {{ place: string, problem: string }[]} `place`: relative path
 */
function findFileCycles(root, parse) {
  const files = FOLDERS.flatMap((folder) => sourceFilesIn(path.join(root, folder))).filter(
    (file) => !isTestFile(path.relative(root, file)),
  );
  const imported = new Map(files.map((file) => [file, [...parse(file).importedFiles]]));
  return components(files, (file) => (imported.get(file) ?? []).filter((target) => imported.has(target)))
    .filter((component) => component.length > 1)
    .map((component) => {
      const [place = '', ...others] = component.map((file) => path.relative(root, file)).sort();
      return { place, problem: `in an import cycle with ${others.join(', ')}` };
    });
}
