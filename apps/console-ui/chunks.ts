import { type Plugin, type Rolldown } from 'vite';

type Group = Rolldown.CodeSplittingGroup;
type ModuleInfos = Parameters<Extract<Group['name'], (...all: never[]) => unknown>>[1];

/**
 * The files that pages load together. One file for each module that two pages share would be 40 requests for the landing page
 * and 90 for the overview; on a slow network each of them costs more time than its content.
 */
export const CHUNKS: Group[] = [
  // What every page needs.
  { name: 'shell', tags: ['$initial'] },
  // What the sign-in and the landing page share, so that neither loads the file of the other.
  {
    name: 'common',
    test: /@tanstack\/(react-query|query-core)|components\/Anchor|use-resolved-styles-api|hooks\/esm\/use-uncontrolled|get-auto-contrast-value/,
  },
  chunkOf('sign-in', ['features/sign-in/sign-in-page.tsx', 'features/sign-in/register-page.tsx']),
  chunkOf('public', ['features/landing/landing-page.tsx']),
  chunkOf('console', ['layout/console-layout.tsx', 'features/overview/overview-page.tsx']),
];

/**
 * Leaves out the scroll container that Mantine's `Table` brings along, with 20 kB of code, compressed: `<DataTable>` scrolls by itself.
 * Whoever uses it gets an error.
 */
export function plainTables(): Plugin {
  const PART = /Table\/TableScrollContainer\.mjs$/;
  return {
    name: 'plain-tables',
    apply: 'build',
    load: (id) =>
      PART.test(id)
        ? 'export function TableScrollContainer() { throw new Error("Table.ScrollContainer is left out of the build"); }'
        : undefined,
  };
}

/** A module of a page, as `lazyRouteComponent` names it. */
const PAGE = /\/src\/features\/(.+-page)\.tsx$/;

/** Says by page which files it needs beside those of `index.html`, for the console, which renders pages (`src/server.tsx`). */
export function pageFiles(): Plugin {
  return {
    name: 'page-files',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const needed = (fileName: string, found = new Set<(typeof chunks)[number]>()) => {
        const chunk = chunks.find((one) => one.fileName === fileName);
        if (!chunk || chunk.isEntry || found.has(chunk)) return found;
        found.add(chunk);
        for (const name of chunk.imports) needed(name, found);
        return found;
      };
      const pages = chunks.flatMap((chunk) =>
        Object.keys(chunk.modules).flatMap((id) => {
          const page = PAGE.exec(id)?.[1];
          if (page === undefined) return [];
          const files = [...needed(chunk.fileName)];
          const styles = files.flatMap((file) => [...(file.viteMetadata?.importedCss ?? [])]);
          return [[page, { scripts: files.map(({ fileName }) => fileName), styles: [...new Set(styles)] }]];
        }),
      );
      const source = JSON.stringify(Object.fromEntries(pages));
      this.emitFile({ type: 'asset', fileName: '.pages/files.json', source });
    },
  };
}

/** A file of what these modules import, and what that imports, unless an earlier file has it. */
function chunkOf(name: string, roots: string[]): Group {
  let reached: ReadonlySet<string> | undefined;
  return {
    name: (id, context) => {
      reached ??= reachedFrom(roots, context);
      return reached.has(id) ? name : null;
    },
  };
}

function reachedFrom(roots: string[], modules: ModuleInfos): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting = roots.map((root) => `${import.meta.dirname}/src/${root}`);
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (reached.has(id) || id.includes('node_modules')) continue;
    reached.add(id);
    waiting.push(...(modules.getModuleInfo(id)?.importedIds ?? []));
  }
  return reached;
}
