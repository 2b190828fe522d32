import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'prettier';
import { apiTypesOf, CALLED_SERVICES } from './api-types.mjs';

/**
 * A part of `npm run docs:reference`: writes the types of the services that the console's pages call; with --check it
 * exits with 1 if they are not current. They are in the repository so that editors and checks need no build.
 */

const root = path.join(import.meta.dirname, '../..');
const isCheck = process.argv.includes('--check');

for (const service of CALLED_SERVICES) {
  const name = `apps/console-ui/src/api/schema/${service}.ts`;
  const file = path.join(root, name);
  const text = await format(await apiTypesOf(root, service), {
    parser: 'typescript',
    singleQuote: true,
    printWidth: 110,
  });
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  if (isCheck) {
    console.error(`${name} is not current: run npm run docs:reference.`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    console.log(`${name} is written.`);
  }
}
