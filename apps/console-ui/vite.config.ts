import { type BuildEnvironmentOptions, defineConfig } from 'vite';
import { CHUNKS, pageFiles, plainTables } from './chunks';
import { precompressedFiles } from './precompressed-files';
import { themeVariables, sourcesHash, usedStyles } from './built-styles';

/** `npm start` serves the API there; `npx vite apps/console-ui` serves the pages from their sources. */
const DEVELOPMENT_API = 'http://127.0.0.1:3000';
const FOLDER = '../../dist/apps/console-ui';

const BROWSER_BUILD: BuildEnvironmentOptions = {
  outDir: FOLDER,
  emptyOutDir: true,
  // The policy of the pages allows files of their own only, no `data:` fonts.
  assetsInlineLimit: 0,
  modulePreload: { polyfill: false },
  rolldownOptions: {
    output: {
      codeSplitting: { groups: CHUNKS },
      // The first script names all others, and hashes cannot be compressed.
      chunkFileNames: 'assets/[name]-[hash:7].js',
      // Which rules `usedStyles` keeps is decided after the hash of the styles was made.
      assetFileNames: ({ names: [name = ''] }) =>
        name.endsWith('.css') ? `assets/[name]-[hash]-${sourcesHash()}.css` : 'assets/[name]-[hash][extname]',
    },
    // Mantine marks its modules for a kind of server that renders React otherwise.
    onLog: (level, log, next) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && next(level, log),
  },
};

/** What renders the public pages at the console, with all packages in it. Servers of files do not send what begins with a dot. */
const SERVER_BUILD: BuildEnvironmentOptions = {
  outDir: `${FOLDER}/.server`,
  emptyOutDir: true,
  copyPublicDir: false,
  target: 'node20',
  rolldownOptions: {
    output: { format: 'cjs', entryFileNames: 'render.cjs', chunkFileNames: '[name]-[hash].cjs' },
    onLog: BROWSER_BUILD.rolldownOptions!.onLog!,
  },
};

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [
    themeVariables(),
    plainTables(),
    ...(isSsrBuild ? [] : [usedStyles(), pageFiles(), precompressedFiles()]),
  ],
  server: { proxy: Object.fromEntries(['/api', '/config.json'].map((path) => [path, DEVELOPMENT_API])) },
  resolve: { tsconfigPaths: true },
  build: isSsrBuild ? SERVER_BUILD : BROWSER_BUILD,
  ssr: { noExternal: true },
  ...(isSsrBuild && { define: { 'process.env.NODE_ENV': '"production"' } }),
}));
