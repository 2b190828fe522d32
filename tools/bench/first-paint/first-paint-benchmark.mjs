import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { signIn } from '../../screenshots/sign-in.mjs';
import { figure, median, printRows, printVerdicts } from '../measuring/report.mjs';
import { startWholeSite } from '../setup/whole-site.mjs';

/**
 * How soon Chromium shows the overview of a site that `npm start` runs.
 *
 * @import { BrowserContext } from 'playwright-core'
 * @typedef {{ firstPaintMs: number, completeMs: number }} Load `completeMs`: all figures are there
 */

const FIRST_PAINT_TARGET_MS = 1_500;

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

/** @param {BrowserContext} context @param {boolean} isFirstVisit without the cache of the browser @returns {Promise<Load>} */
async function load(context, isFirstVisit) {
  const tab = await context.newPage();
  const session = await context.newCDPSession(tab);
  await session.send('Network.setCacheDisabled', { cacheDisabled: isFirstVisit });
  await tab.goto('/overview', { waitUntil: 'commit' });
  const completeMs = Number(await tab.evaluate(COMPLETE));
  const firstPaintMs = Number(await tab.evaluate(FIRST_PAINT));
  await tab.close();
  return { firstPaintMs, completeMs };
}

/** @type {import('../run.mjs').Benchmark} */
export async function benchFirstPaint(bench, { rounds }) {
  const executablePath = process.env.CHROMIUM || '/usr/bin/chromium';
  if (!existsSync(executablePath)) throw new Error(`${executablePath} does not exist: set CHROMIUM.`);
  const { platform } = await startWholeSite(bench);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  bench.defer(() => browser.close());
  const context = await browser.newContext({ baseURL: platform.urls.console });
  await signIn(await context.newPage(), platform.accounts.demo);

  /** @type {Record<'first' | 'later', Load[]>} */
  const visits = { first: [], later: [] };
  for (let round = 0; round < rounds; round += 1) {
    bench.signal.throwIfAborted();
    const measured = { first: await load(context, true), later: await load(context, false) };
    // The first round warms the services up.
    if (round === 0) continue;
    visits.first.push(measured.first);
    visits.later.push(measured.later);
  }
  /** @param {Load[]} loads @param {keyof Load} field */
  const of = (loads, field) => median(loads.map((one) => one[field]));
  printRows(`The overview in Chromium, medians of ${rounds - 1} visits`, [
    ['', 'first paint ms', 'complete ms'],
    ...Object.entries({
      'first visit': visits.first,
      'with the cache of an earlier visit': visits.later,
    }).map(([label, loads]) => [
      label,
      figure(of(loads, 'firstPaintMs'), 0),
      figure(of(loads, 'completeMs'), 0),
    ]),
  ]);
  printVerdicts([
    {
      what: 'First contentful paint of a first visit',
      value: of(visits.first, 'firstPaintMs'),
      unit: ' ms',
      digits: 0,
      atMost: FIRST_PAINT_TARGET_MS,
    },
  ]);
  return [];
}
