import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderCrossingStatements } from '../statements/page.mjs';
import { renderConfiguration, renderRoutes } from './reference-pages.mjs';

/** `npm run docs:reference` writes the generated pages; with --check it exits with 1 if one is not current. */

const folder = join(import.meta.dirname, '../../docs/reference');
const pages = {
  'configuration.md': renderConfiguration(),
  'routes.md': renderRoutes(),
  'statements-across-accounts.md': renderCrossingStatements(),
};
const isCheck = process.argv.includes('--check');

mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(pages)) {
  const file = join(folder, name);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  if (isCheck) {
    console.error(`docs/reference/${name} is not current: run npm run docs:reference.`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    console.log(`docs/reference/${name} is written.`);
  }
}
