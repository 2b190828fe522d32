import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withoutCodeBlocks } from './shell-session';
import { readComponentReadmes, readDocuments, ROOT } from './documents';

/** About two screens. */
const MAX_README_BYTES = 8_192;
const LINK = /\]\(([^)\s]+)\)/g;
/** A file or folder of the repository in code style, such as `libs/money/src/picos.ts` or `apps/gateway`. */
const PATH = /`((?:apps|libs|packages|tools|docker|docs)\/[\w@./-]*)`/g;
/** A source file in code style, relative to the folder of the document, such as `src/main.ts`. */
const SOURCE_PATH = /`(src\/[\w@./-]*)`/g;

/** A built script, also in commands; its source is the same path with `.ts`. */
const BUILT_SCRIPT = /dist\/((?:apps|libs|tools)\/[\w./-]+)\.js/g;

const documents = [...readDocuments(), ...readComponentReadmes()];

/** The anchors of all headings, in the form that GitHub generates. */
function anchorsOf(markdown: string): Set<string> {
  const headings = withoutCodeBlocks(markdown).match(/^#+ .*$/gm) ?? [];
  return new Set(
    headings.map((heading) =>
      heading
        .replace(/^#+ /, '')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  );
}

/** The relative links of a page whose file or heading does not exist. */
function brokenLinks(path: string, text: string): string[] {
  return [...withoutCodeBlocks(text).matchAll(LINK)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [file = '', anchor] = target.split('#');
      const absolute = file === '' ? join(ROOT, path) : join(ROOT, dirname(path), file);
      if (!existsSync(absolute)) return true;
      return anchor !== undefined && !anchorsOf(readFileSync(absolute, 'utf8')).has(anchor);
    });
}

describe.each(documents)('$path', ({ path, text }) => {
  it('links to files and headings that exist', () => {
    expect(brokenLinks(path, text)).toEqual([]);
  });

  it('names files that exist', () => {
    const prose = withoutCodeBlocks(text);
    const named = [...prose.matchAll(PATH)].map(([, file = '']) => file);
    const sources = [...prose.matchAll(SOURCE_PATH)].map(([, file = '']) => join(dirname(path), file));
    const built = [...text.matchAll(BUILT_SCRIPT)].map(([, file]) => `${file}.ts`);
    expect([...named, ...sources, ...built].filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});

it(`the README has at most ${MAX_README_BYTES} bytes`, () => {
  expect(statSync(join(ROOT, 'README.md')).size).toBeLessThanOrEqual(MAX_README_BYTES);
});
