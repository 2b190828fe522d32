import { createRequire } from 'node:module';
import path from 'node:path';
import { importsOf, scriptsIn } from './app-contents.mjs';

/**
 * Prints each name that a compiled file below a folder imports and that nothing answers to, a line each:
 * node tools/images/print-unresolved-imports.mjs <folder>
 */

/** @param {string} script @param {string} name */
function resolves(script, name) {
  try {
    createRequire(script).resolve(name);
    return true;
  } catch (error) {
    // A package that exports this name to `import` only.
    return error instanceof Error && 'code' in error && error.code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
  }
}

const folder = path.resolve(process.argv[2] ?? '.');
for (const script of scriptsIn(folder))
  for (const name of importsOf(script)) if (!resolves(script, name)) console.log(`${name} in ${script}`);
