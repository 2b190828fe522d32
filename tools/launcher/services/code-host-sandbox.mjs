import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Configures the console to import releases from the code host sandbox. */

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');

/** @returns {typeof import('../../sandbox-code-host/src/repositories/samples.ts')} the built file; the product must be built before */
const sandbox = () =>
  createRequire(import.meta.url)(path.join(root, 'dist/tools/sandbox-code-host/src/repositories/samples.js'));

/**
 * @param {import('../settings.mjs').Site} site
 * @param {string} url of the sandbox
 * @returns {NodeJS.ProcessEnv} for the console
 */
export const codeHostEnvironment = (site, url) => sandbox().sampleEnvironment(site, url);
