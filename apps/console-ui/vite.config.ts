import { defineConfig } from 'vite';
import { CHUNKS } from './chunks';
import { precompressedFiles } from './precompressed-files';
import { themeVariables } from './theme-variables';
import { sourcesHash, usedStyles } from './used-styles';

/** `npm start` serves the API there; `npx vite apps/console-ui` serves the pages from their sources. */
const DEVELOPMENT_API = 'http://127.0.0.1:3000';

export default defineConfig({
  plugins: [themeVariables(), usedStyles(), precompressedFiles()],
  server: { proxy: Object.fromEntries(['/api', '/config.json'].map((path) => [path, DEVELOPMENT_API])) },
  resolve: { tsconfigPaths: true },
  build: {
    outDir: '../../dist/apps/console-ui',
    emptyOutDir: true,
    // The policy of the pages allows files of their own only, no `data:` fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Mantine marks its modules for servers that render React; here nothing does.
    rolldownOptions: {
      output: {
        codeSplitting: { groups: CHUNKS },
        // Which rules `usedStyles` keeps is decided after the hash of the styles was made.
        assetFileNames: ({ names: [name = ''] }) =>
          name.endsWith('.css')
            ? `assets/[name]-[hash]-${sourcesHash()}.css`
            : 'assets/[name]-[hash][extname]',
      },
      onLog: (level, log, next) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && next(level, log),
    },
  },
});
