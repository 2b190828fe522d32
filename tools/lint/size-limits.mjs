import fs from 'node:fs';
import path from 'node:path';
import { isTestFile, sourceFilesIn } from './source-files.mjs';

/** An app module that lists areas only is shorter. */
const MAX_APP_MODULE_LINES = 60;
/** As many files as a reader can take in at a glance. */
const MAX_FILES_IN_FOLDER = 12;
/** Migrations, which are found by their numbers. */
const NUMBERED = /^\d{4}_/;

/**
 * @param {string} root of the repository
 * @param {string[]} folders below it
 * @returns {{ place: string, problem: string }[]} `place`: relative path
 */
export function findOversized(root, folders) {
  const files = folders.flatMap((folder) => sourceFilesIn(path.join(root, folder)));
  return [...crowdedFolders(root, files), ...longAppModules(root, files)];
}

/** @param {string} root @param {string[]} files */
function crowdedFolders(root, files) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const file of files) {
    if (isTestFile(path.relative(root, file)) || NUMBERED.test(path.basename(file))) continue;
    const folder = path.relative(root, path.dirname(file));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MAX_FILES_IN_FOLDER)
    .map(([place, count]) => ({
      place,
      problem: `has ${count} source files, at most ${MAX_FILES_IN_FOLDER} are allowed: group them in sub-folders`,
    }));
}

/** @param {string} root @param {string[]} files */
function longAppModules(root, files) {
  return files
    .filter((file) => path.basename(file) === 'app.module.ts')
    .map((file) => ({ file, lines: fs.readFileSync(file, 'utf8').trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > MAX_APP_MODULE_LINES)
    .map(({ file, lines }) => ({
      place: path.relative(root, file),
      problem: `has ${lines} lines, at most ${MAX_APP_MODULE_LINES} are allowed: move providers to feature modules`,
    }));
}
