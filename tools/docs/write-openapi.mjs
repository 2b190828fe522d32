import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { renderDocument, SERVICES } from './openapi-documents.mjs';

/** `npm run openapi` writes the API documents; with --check it exits with 1 if one is not current. */

const folder = join(import.meta.dirname, '../../docs/reference/openapi');
const isCheck = process.argv.includes('--check');

mkdirSync(folder, { recursive: true });
for (const service of SERVICES) {
  const file = join(folder, `${service}.json`);
  const text = await format(JSON.stringify(await renderDocument(service)), {
    parser: 'json',
    printWidth: 110,
  });
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  if (isCheck) {
    console.error(`docs/reference/openapi/${service}.json is not current: run npm run openapi.`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    console.log(`docs/reference/openapi/${service}.json is written.`);
  }
}
