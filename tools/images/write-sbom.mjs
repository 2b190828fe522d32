import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageOf } from './app-contents.mjs';
import { writeLockFile } from './lock-file.mjs';

/**
 * Writes the software bill of materials of the product (CycloneDX, JSON): every package that a service may load or that is part
 * of the console's pages, as package-lock.json locks it. npm run sbom -- [file]
 */

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const PAGES = path.join(root, 'apps/console-ui/src');
const SOURCE = /(?<!\.spec)\.(tsx?|css)$/;
const IMPORT = /(?:from|import|@import)\s*\(?\s*["']([^"']+)["']/g;

/** @returns {string[]} the packages that the sources of the console's pages import */
function packagesOfPages() {
  const files = fs
    .readdirSync(PAGES, { recursive: true, encoding: 'utf8' })
    .filter((name) => SOURCE.test(name));
  const names = files.flatMap((name) =>
    [...fs.readFileSync(path.join(PAGES, name), 'utf8').matchAll(IMPORT)].map(
      ([, imported = '']) => imported,
    ),
  );
  return [...new Set(names.map(packageOf))];
}

const file = path.resolve(process.argv[2] ?? path.join(root, '.data/sbom.cdx.json'));
const { name, version, license, dependencies, devDependencies } = JSON.parse(
  fs.readFileSync(path.join(root, 'package.json'), 'utf8'),
);
// The packages of the pages are built into files, so no service loads them: package.json lists them for development.
const ofPages = packagesOfPages().filter((imported) => imported in devDependencies);
const all = { ...dependencies, ...Object.fromEntries(ofPages.map((page) => [page, devDependencies[page]])) };

const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'sbom-'));
try {
  // npm names the product after the folder.
  const folder = path.join(temporary, name);
  fs.mkdirSync(folder);
  const product = { name, version, private: true, license, dependencies: all };
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify(product));
  writeLockFile(root, folder);
  const options = ['--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
  const bill = execFileSync('npm', ['sbom', ...options], { cwd: folder, maxBuffer: 2 ** 26 });
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, bill);
  console.log(`Wrote ${path.relative(process.cwd(), file)}.`);
} finally {
  fs.rmSync(temporary, { recursive: true, force: true });
}
