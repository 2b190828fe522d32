import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import postcss from 'postcss';
import { type Plugin } from 'vite';

/** A class of a part of one of Mantine's components, which a rule is for. */
const COMPONENT_CLASS = /m_[0-9a-f]+/g;
const HASH_CHARS = 8;

/** Drops the rules of components that no script names. The components of Mantine come with one style sheet for all of them. */
export function usedStyles(): Plugin {
  return {
    name: 'used-styles',
    apply: 'build',
    generateBundle: (_options, bundle) => {
      const files = Object.values(bundle);
      const used = new Set(
        files.flatMap((file) => (file.type === 'chunk' ? (file.code.match(COMPONENT_CLASS) ?? []) : [])),
      );
      const isUnused = (selector: string) =>
        (selector.match(COMPONENT_CLASS) ?? []).some((name) => !used.has(name));
      for (const file of files) {
        if (file.type === 'asset' && file.fileName.endsWith('.css'))
          file.source = withoutSelectors(file.source.toString(), isUnused);
      }
    },
  };
}

function withoutSelectors(css: string, isUnwanted: (selector: string) => boolean): string {
  const root = postcss.parse(css);
  root.walkRules((rule) => {
    const selectors = rule.selectors.filter((selector) => !isUnwanted(selector));
    if (selectors.length === 0) rule.remove();
    else if (selectors.length < rule.selectors.length) rule.selectors = selectors;
  });
  return root.toString();
}

/** Changes with everything that decides which components are used: the sources of the pages and the versions of packages. */
export function sourcesHash(): string {
  const sources = join(import.meta.dirname, 'src');
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .sort()
    .map((name) => join(sources, name));
  const hash = createHash('sha256');
  for (const file of [...files, join(import.meta.dirname, '../../package-lock.json')])
    hash.update(readFileSync(file));
  return hash.digest('base64url').slice(0, HASH_CHARS);
}
