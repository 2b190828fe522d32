import { defineConfig } from 'vite';
import { themeVariables } from './theme-variables';

/** `npm start` serves the API there; `npx vite apps/console-ui` serves the pages from their sources. */
const DEVELOPMENT_API = 'http://127.0.0.1:3000';

export default defineConfig({
  plugins: [themeVariables()],
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
      // One file for what every page needs: 50 small ones would be compressed one by one, and take a request each.
      output: { codeSplitting: { groups: [{ name: 'shell', tags: ['$initial'] }] } },
      onLog: (level, log, next) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && next(level, log),
    },
  },
});
