import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The repository's root. */
export const ROOT = join(__dirname, '../../..');

export interface Document {
  /** Relative to the root of the repository. */
  path: string;
  text: string;
  /** The site whose commands it shows. */
  site: 'intl' | 'cn';
}

const CN_MARK = /^<!-- site: cn -->$/m;

function readDocument(path: string): Document {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return { path, text, site: CN_MARK.test(text) ? 'cn' : 'intl' };
}

function markdownFilesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
    .sort();
}

/** README, CONTRIBUTING and every page under docs/. A page of the China site has the line `<!-- site: cn -->`. */
export function readDocuments(): Document[] {
  return ['README.md', 'CONTRIBUTING.md', ...markdownFilesIn('docs')].map(readDocument);
}

/** The README of every tool and of every published package. They are not part of the product's documentation. */
export function readComponentReadmes(): Document[] {
  return ['packages', 'tools']
    .flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}/README.md`))
    .filter((path) => existsSync(join(ROOT, path)))
    .sort()
    .map(readDocument);
}
