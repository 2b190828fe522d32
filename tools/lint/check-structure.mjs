import fs from 'node:fs';
import path from 'node:path';
import { findMisplacedDataAccess, readDataAccess } from './data-access.mjs';
import { findModuleViolations } from './feature-modules.mjs';
import { findOversized } from './size-limits.mjs';

const FOLDERS = ['apps', 'libs', 'packages', 'tools'];

/** @param {string} root of the repository @returns {string[]} problems, each with its place */
export function checkStructure(root) {
  const apps = path.join(root, 'apps');
  const names = fs.existsSync(apps) ? fs.readdirSync(apps).sort() : [];
  return [
    ...names.flatMap((name) => findModuleViolations(root, `apps/${name}`)),
    ...findOversized(root, FOLDERS),
    ...findMisplacedDataAccess(readDataAccess(root)),
  ].map(({ place, problem }) => `${place}: ${problem}`);
}
