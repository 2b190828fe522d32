import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/**
 * Writes the types of the services that the console's pages call, from their API documents, unless they are current. Runs after every
 * install and before every build of the pages: the types are not in git.
 */

const root = path.join(import.meta.dirname, '../..');
const FOLDER = path.join(root, 'apps/console-ui/src/api/schema');
/** The services that the pages call. */
const SERVICES = ['console', 'memo', 'training'];
const GENERATOR = path.join(import.meta.dirname, 'api-types.mjs');
const FIRST_LINE = '// Written by tools/docs/write-api-types.mjs from ';

/** @param {string} service */
const documentOf = (service) => path.join(root, `docs/reference/openapi/${service}.json`);

/** @param {string} service @returns {string} the first line of a current file */
function stampOf(service) {
  const hash = createHash('sha256');
  for (const file of [documentOf(service), GENERATOR]) hash.update(fs.readFileSync(file));
  return FIRST_LINE + hash.digest('hex');
}

/** @param {string} file */
const firstLineOf = (file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n', 1)[0] : '');

for (const service of SERVICES) {
  const file = path.join(FOLDER, `${service}.ts`);
  const stamp = stampOf(service);
  if (firstLineOf(file) === stamp) continue;
  const { apiTypesOf } = await import('./api-types.mjs');
  const text = await apiTypesOf(JSON.parse(fs.readFileSync(documentOf(service), 'utf8')));
  fs.mkdirSync(FOLDER, { recursive: true });
  // Another process may read the file, or write it, too.
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, `${stamp}\n\n${text}`);
  fs.renameSync(draft, file);
}
