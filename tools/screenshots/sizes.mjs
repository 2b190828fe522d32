import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { readPlatformFile } from '../setup/platform-file.mjs';
import { PICTURES } from './pages.mjs';
import { signIn } from './sign-in.mjs';

/**
 * `npm run sizes`: prints what each page of the console loads of scripts and styles on a first visit, compressed by gzip,
 * from the site that `npm start` runs. The exit code is 1 if the sign-in loads more than it may. Needs Chromium (`CHROMIUM`,
 * `/usr/bin/chromium` unless set).
 *
 * @import { BrowserContext } from 'playwright-core'
 */

/** The sign-in is the first page of many visits, on any connection. */
const SIGN_IN_LIMIT = 200_000;
const KILO = 1000;
/** A page that has asked for no file for so long has all of them. */
const QUIET_MILLIS = 500;

const root = path.join(import.meta.dirname, '../..');
const dataDir = path.resolve(root, process.env.DATA_DIR || '.data');
const executablePath = process.env.CHROMIUM || '/usr/bin/chromium';

/** @param {BrowserContext} context @param {string} place @returns {Promise<{ script: number, stylesheet: number }>} bytes */
async function sizesOf(context, place) {
  const tab = await context.newPage();
  const session = await context.newCDPSession(tab);
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  const sizes = { script: 0, stylesheet: 0 };
  /** @type {Promise<void>[]} */
  const reading = [];
  tab.on('response', (response) => {
    const type = response.request().resourceType();
    if (type === 'script' || type === 'stylesheet')
      reading.push(response.body().then((body) => void (sizes[type] += gzipSync(body).length)));
  });
  await tab.goto(place, { waitUntil: 'networkidle' });
  await tab.locator('h1').first().waitFor();
  for (let known = -1; known < reading.length;) {
    known = reading.length;
    await Promise.all(reading);
    await tab.waitForTimeout(QUIET_MILLIS);
  }
  tab.removeAllListeners('response');
  await tab.close();
  return sizes;
}

const platform = readPlatformFile(dataDir);
if (!platform) throw new Error(`There is no site in ${dataDir}: run npm start first.`);
const { urls, accounts } = platform;
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
/** @param {{ identifier: string, password: string }} [account] */
async function contextOf(account) {
  const context = await browser.newContext({ baseURL: urls.console });
  const tab = await context.newPage();
  if (account) await signIn(tab, account);
  await tab.close();
  return context;
}
const visitor = await contextOf();
const demo = await contextOf(accounts.demo);
const admin = await contextOf(accounts.admin);

console.log('kB of scripts and styles, compressed, on a first visit');
const viewers = new Map(
  PICTURES.map(({ path: place, isPublic, byAdmin }) => [
    place.replace(/[?#].*/, ''),
    isPublic ? visitor : byAdmin ? admin : demo,
  ]),
);
for (const [place, context] of viewers) {
  const { script, stylesheet } = await sizesOf(context, place);
  const total = script + stylesheet;
  const [all, scripts, styles] = [total, script, stylesheet].map((bytes) => (bytes / KILO).toFixed(1));
  console.log(`${all?.padStart(7)}  ${place}  (${scripts} + ${styles})`);
  if (place === '/sign-in' && total > SIGN_IN_LIMIT) {
    console.error(`The sign-in may load ${SIGN_IN_LIMIT / KILO} kB.`);
    process.exitCode = 1;
  }
}
await browser.close();
