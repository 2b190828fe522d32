import path from 'node:path';
import { readJson } from './state-file.mjs';

const REMEDY = 'Start the site again: every start writes the file anew.';

/**
 * Reads what `npm start` wrote about its site.
 * @param {string} dataDir of the site
 * @param {Parameters<typeof readJson>[1]['required']} [required] what the caller needs besides the database
 * @returns {any} null if no site was started there
 * @throws {import('./state-file.mjs').StateFileError}
 */
export const readPlatformFile = (dataDir, required = {}) =>
  readJson(path.join(dataDir, 'platform.json'), {
    required: { 'database.url': 'text', ...required },
    optional: { backup_dir: 'text' },
    remedy: REMEDY,
  });
