import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { signIn } from '../../screenshots/sign-in.mjs';
import { figure, median, printRows, printVerdicts } from '../measuring/report.mjs';
import { startWholeSite } from '../setup/whole-site.mjs';

/**
 * How soon and with how many bytes Chromium shows pages of a site that `npm start` runs, on its loopback interface and on a slow
 * mobile network.
 *
 * @import { BrowserContext } from 'playwright-core'
 * @typedef {{ firstPaintMs: number, completeMs: number, requests: number, bytes: number }} Load `completeMs`: all figures are there;
 *   `bytes`: those of the answers as they are sent
 * @typedef {{ name: string, path: string, isSignedIn: boolean, maxBytes?: number, maxRequests?: number }} MeasuredPage
 */

const FIRST_PAINT_TARGET_MS = 1_500;
/** Slow 4G. */
const SLOW_NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
};
/** @type {MeasuredPage[]} */
const PAGES = [
  { name: 'landing page', path: '/', isSignedIn: false, maxBytes: 250_000, maxRequests: 12 },
  { name: 'overview', path: '/overview', isSignedIn: true, maxBytes: 400_000 },
  { name: 'usage', path: '/usage', isSignedIn: true },
];

/** Of a page: resolves with the time since the navigation began. */
const FIRST_PAINT = `new Promise((resolve) => new PerformanceObserver((list) => {
  const entry = list.getEntriesByName('first-contentful-paint')[0];
  if (entry) resolve(entry.startTime);
}).observe({ type: 'paint', buffered: true }))`;
const COMPLETE = `new Promise((resolve) => {
  const look = () => {
    const isComplete = document.querySelector('h1') && !document.querySelector('.mantine-Skeleton-root');
    if (isComplete) resolve(performance.now());
    else requestAnimationFrame(look);
  };
  look();
})`;

/**
 * @param {BrowserContext} context
 * @param {string} path
 * @param {{ isFirstVisit: boolean, isSlow: boolean }} visit `isFirstVisit`: without the cache of the browser
 * @returns {Promise<Load>}
 */
async function load(context, path, { isFirstVisit, isSlow }) {
  const tab = await context.newPage();
  const session = await context.newCDPSession(tab);
  const sent = { requests: 0, bytes: 0 };
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    sent.requests += 1;
    sent.bytes += encodedDataLength;
  });
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: isFirstVisit });
  if (isSlow) await session.send('Network.emulateNetworkConditions', SLOW_NETWORK);
  await tab.goto(path, { waitUntil: 'commit' });
  const completeMs = Number(await tab.evaluate(COMPLETE));
  const firstPaintMs = Number(await tab.evaluate(FIRST_PAINT));
  await tab.waitForLoadState('networkidle');
  await tab.close();
  return { firstPaintMs, completeMs, ...sent };
}

const VISITS = {
  'first visit': { isFirstVisit: true, isSlow: false },
  'first visit, slow 4G': { isFirstVisit: true, isSlow: true },
  'later visit': { isFirstVisit: false, isSlow: false },
};

/** @type {import('../setup/workbench.mjs').Benchmark} */
export async function benchFirstPaint(bench, { rounds }) {
  const executablePath = process.env.CHROMIUM || '/usr/bin/chromium';
  if (!existsSync(executablePath)) throw new Error(`${executablePath} does not exist: set CHROMIUM.`);
  const { platform } = await startWholeSite(bench);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  bench.defer(() => browser.close());
  const visitor = await browser.newContext({ baseURL: platform.urls.console });
  const customer = await browser.newContext({ baseURL: platform.urls.console });
  await signIn(await customer.newPage(), platform.accounts.demo);

  /** @type {Map<string, Load[]>} by page and visit */
  const loads = new Map();
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, path, isSignedIn } of PAGES) {
      for (const [visit, conditions] of Object.entries(VISITS)) {
        bench.signal.throwIfAborted();
        const measured = await load(isSignedIn ? customer : visitor, path, conditions);
        // The first round warms the services up.
        if (round > 0) loads.set(`${name}, ${visit}`, [...(loads.get(`${name}, ${visit}`) ?? []), measured]);
      }
    }
  }
  /** @param {string} label @param {keyof Load} field */
  const of = (label, field) => median(loads.get(label)?.map((one) => one[field]) ?? []);
  printRows(`Pages of the console in Chromium, medians of ${rounds - 1} visits`, [
    ['', 'requests', 'kB', 'first paint ms', 'complete ms'],
    ...[...loads.keys()].map((label) => [
      label,
      figure(of(label, 'requests'), 0),
      figure(of(label, 'bytes') / 1_000, 0),
      figure(of(label, 'firstPaintMs'), 0),
      figure(of(label, 'completeMs'), 0),
    ]),
  ]);
  printVerdicts(
    PAGES.flatMap(({ name, maxBytes, maxRequests }) => {
      const slow = `${name}, first visit, slow 4G`;
      const paint = { unit: ' ms', digits: 0, atMost: FIRST_PAINT_TARGET_MS };
      return [
        { what: `First paint of the ${slow}`, value: of(slow, 'firstPaintMs'), ...paint },
        ...(maxBytes === undefined
          ? []
          : [
              {
                what: `Bytes of the ${name}`,
                value: of(slow, 'bytes') / 1_000,
                unit: ' kB',
                digits: 0,
                atMost: maxBytes / 1_000,
              },
            ]),
        ...(maxRequests === undefined
          ? []
          : [
              {
                what: `Requests of the ${name}`,
                value: of(slow, 'requests'),
                unit: '',
                digits: 0,
                atMost: maxRequests,
              },
            ]),
      ];
    }),
  );
  return [];
}
