import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { readPlatformFile } from '../setup/platform-file.mjs';
import { PICTURES } from './pages.mjs';
import { signIn } from './sign-in.mjs';

/**
 * `npm run screenshots`: takes pictures of the console's pages, in both languages, light and dark, at four widths, from the
 * site that `npm start` runs. Arguments choose pictures by their names. They go to `<DATA_DIR>/screenshots`. Needs Chromium
 * (`CHROMIUM`, `/usr/bin/chromium` unless set).
 *
 * @import { Browser, Page } from 'playwright-core'
 * @import { Picture } from './either.mjs'
 */

const LANGUAGES = ['en', 'zh-CN'];
const SCHEMES = /** @type {const} */ (['light', 'dark']);
/** The narrowest phone, a usual one, a tablet, and a screen. */
const WIDTHS = [320, 390, 768, 1440];
const HEIGHT = 900;

const root = path.join(import.meta.dirname, '../..');
const dataDir = path.resolve(root, process.env.DATA_DIR || '.data');
const folder = path.join(dataDir, 'screenshots');
const executablePath = process.env.CHROMIUM || '/usr/bin/chromium';

/** @param {Page} tab @param {string} place changes the page without loading it anew, which keeps the session */
const goTo = (tab, place) =>
  tab.evaluate(
    `history.pushState({}, '', ${JSON.stringify(place)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );

/** @param {Page} tab */
async function untilQuiet(tab) {
  await tab.waitForLoadState('networkidle');
  await tab.evaluate('document.fonts.ready');
  // Transitions of dialogs and menus.
  await tab.waitForTimeout(350);
}

/**
 * @param {Browser} browser
 * @param {Picture[]} pictures of one kind of person
 * @param {{ baseURL: string, account?: { identifier: string, password: string }, locale: string, colorScheme: 'light' | 'dark' }} person
 * @returns {Promise<string[]>} pages that are wider than the screen
 */
async function takeAll(browser, pictures, { account, ...person }) {
  const context = await browser.newContext({ ...person, reducedMotion: 'reduce' });
  const tab = await context.newPage();
  if (account) await signIn(tab, account);
  else await tab.goto('/sign-in');
  const tooWide = [];
  for (const { name, path: place, act } of pictures) {
    for (const width of WIDTHS) {
      await tab.setViewportSize({ width, height: HEIGHT });
      // Another page first, so that no dialog stays open.
      await goTo(tab, '/no-such-page');
      await goTo(tab, place);
      await untilQuiet(tab);
      await act?.(tab);
      await untilQuiet(tab);
      const file = `${name}.${person.locale}.${person.colorScheme}.${width}.png`;
      await tab.screenshot({ path: path.join(folder, file), fullPage: true });
      if (await tab.evaluate('document.documentElement.scrollWidth > innerWidth')) tooWide.push(file);
    }
  }
  await context.close();
  return tooWide;
}

const platform = readPlatformFile(dataDir);
if (!platform) throw new Error(`There is no site in ${dataDir}: run npm start first.`);
const { urls, accounts } = platform;
const wanted = process.argv.slice(2);
const chosen = PICTURES.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const groups = [
  { account: undefined, pictures: chosen.filter(({ isPublic }) => isPublic) },
  { account: accounts.demo, pictures: chosen.filter(({ isPublic, byAdmin }) => !isPublic && !byAdmin) },
  { account: accounts.admin, pictures: chosen.filter(({ byAdmin }) => byAdmin) },
].filter(({ pictures }) => pictures.length > 0);

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const tooWide = [];
for (const locale of LANGUAGES)
  for (const colorScheme of SCHEMES)
    for (const { account, pictures } of groups)
      tooWide.push(
        ...(await takeAll(browser, pictures, { baseURL: urls.console, account, locale, colorScheme })),
      );
await browser.close();
console.log(
  `${chosen.length * LANGUAGES.length * SCHEMES.length * WIDTHS.length} pictures are in ${folder}.`,
);
if (tooWide.length > 0) {
  console.error(`Wider than the screen:\n${tooWide.join('\n')}`);
  process.exitCode = 1;
}
