import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The console as a follower of the sandbox for releases. */

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** The sandbox's own, which is there once the product is built. */
const sandbox = () =>
  createRequire(import.meta.url)(path.join(root, 'dist/tools/sandbox-code-host/src/samples.js'));

/**
 * @param {'intl' | 'cn'} site
 * @param {string} url of the sandbox
 * @returns {NodeJS.ProcessEnv} for the console
 */
export const codeHostEnvironment = (site, url) => sandbox().sampleEnvironment(site, url);
