import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContextOptions } from 'playwright-core';
import { type Platform, type Run, SiteRuns } from '../../deployment/site-runs';
import { launchChromium } from '../../site/chromium';
import { findProgram } from '../../site/nginx';
import { linesWithAmounts } from '../billing-pages';
import { secretsInStorage } from '../browser-faults';
import { outOfReach } from '../rows/out-of-reach';
import { foreignTexts } from './foreign-words';
import { componentsWithoutStyles } from './missing-styles';
import { isOfRoute, type Picture, routePaths, type Viewer, VIEWERS } from './page-list';
import { seedContent } from './seed-content';
import { Visit } from './visit';

/** What holds for every page of the console, in Chromium, on the two sites that `npm start` runs. */

const SITES = ['intl', 'cn'] as const;
/** The width of a phone, and a screen of 1280 pixels at 200 %. */
const WIDTHS = [320, 640];
const HEIGHT = 800;
/** The demo account has the second one when its payment has arrived. */
const TIERS = [
  { name: 'Free', models: { '*': { rpm: 600, tpm: 400_000, tpd: 10_000_000, max_concurrency: 50 } } },
  { name: 'Tier 1', paid: 20, models: { '*': { rpm: 6_000, tpm: 4_000_000, max_concurrency: 200 } } },
  { name: 'Tier 2', paid: 200, age_days: 30, models: { '*': { rpm: 60_000, tpm: 40_000_000 } } },
];
/** The other site has no tiers. */
const ENVIRONMENTS = { intl: { MODEL_RATE_LIMIT_TIERS: JSON.stringify(TIERS) }, cn: {} };
const SCREEN = { width: 1440, height: 900 };
/** Tables, menus and the field of a chat look otherwise here. */
const PHONE = { width: 390, height: 844 };

const chrome = findProgram('chromium');
const ifThere = chrome ? it : it.skip;

let runs: SiteRuns;
let browser: Browser | undefined;
const sites = {} as Record<(typeof SITES)[number], Run>;
const visited = new Set<string>();

beforeAll(async () => {
  runs = new SiteRuns();
  if (!chrome) return;
  for (const SITE of SITES)
    sites[SITE] = await runs.newRun({ SITE, ENGINE_TOKENS_PER_SECOND: '0', ...ENVIRONMENTS[SITE] });
  await Promise.all(SITES.map((site) => sites[site].start()));
  await Promise.all(SITES.map((site) => seedContent(sites[site].platform)));
  browser = await launchChromium(chrome);
});
afterAll(async () => {
  await browser?.close();
  await runs.cleanUp();
});

/** Visits all pages, those of each viewer in a tab of their own. Returns what `look` finds, and the faults of the tabs. */
async function findings(
  platform: Platform,
  options: BrowserContextOptions,
  look: (visit: Visit, picture: Picture) => Promise<string[]>,
): Promise<string[]> {
  const visitAs = async (viewer: Viewer) => {
    const visit = await Visit.begin(browser!, platform, viewer, options);
    const found: string[] = [];
    const addresses = await visit.everyPage(viewer, async (picture) => {
      const ofPage = [...(await look(visit, picture)), ...(await secretsInStorage(visit.tab))];
      found.push(...[...ofPage, ...visit.faults.splice(0)].map((finding) => `${picture.name}: ${finding}`));
    });
    for (const address of addresses) visited.add(address);
    await visit.end();
    return found;
  };
  return (await Promise.all(VIEWERS.map(visitAs))).flat();
}

async function tooWide(visit: Visit): Promise<string[]> {
  const { tab } = visit;
  const before = tab.viewportSize()!;
  const found: string[] = [];
  for (const width of WIDTHS) {
    await visit.resize({ width, height: HEIGHT });
    const needed = await tab.evaluate<number>('document.documentElement.scrollWidth');
    if (needed > width) found.push(`${needed} px wide on a screen of ${width} px`);
  }
  await visit.resize(before);
  return found;
}

/** Of the rules only the contrast depends on the colours, which are the same in each language. */
async function inaccessible(
  { tab }: Visit,
  schemes: ('light' | 'dark')[] = ['light', 'dark'],
): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of schemes) {
    await tab.emulateMedia({ colorScheme });
    const axe = new AxeBuilder({ page: tab }).setLegacyMode();
    if (colorScheme === 'dark') axe.withRules('color-contrast');
    const { violations } = await axe.analyze();
    for (const { id, help, nodes } of violations)
      found.push(`${colorScheme}: ${id}: ${help} ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
  }
  await tab.emulateMedia({ colorScheme: 'light' });
  return found;
}

const untranslated = async ({ tab, served }: Visit, locale: string) =>
  (await foreignTexts(tab, locale, served)).map((text) => `not translated: ${text}`);

ifThere(
  'in English every page has its styles, is translated, fits narrow screens, and satisfies axe, light and dark',
  async () => {
    const look = async (visit: Visit) => [
      ...(await componentsWithoutStyles(visit.tab)),
      ...(await untranslated(visit, 'en')),
      ...(await tooWide(visit)),
      ...(await inaccessible(visit)),
    ];
    expect(await findings(sites.intl.platform, { locale: 'en', viewport: SCREEN }, look)).toEqual([]);
  },
);

ifThere(
  'on a phone every page satisfies axe, light and dark, and has its rows and buttons in reach',
  async () => {
    const look = async (visit: Visit) => [...(await inaccessible(visit)), ...(await outOfReach(visit.tab))];
    expect(await findings(sites.intl.platform, { locale: 'en', viewport: PHONE }, look)).toEqual([]);
  },
);

ifThere('in Chinese every page is translated, fits narrow screens, and satisfies axe', async () => {
  const look = async (visit: Visit) => [
    ...(await untranslated(visit, 'zh-CN')),
    ...(await tooWide(visit)),
    ...(await inaccessible(visit, ['light'])),
  ];
  expect(await findings(sites.intl.platform, { locale: 'zh-CN' }, look)).toEqual([]);
});

/** Amounts in dollars at a site that charges in CNY, where only the reports of all accounts and the exchange rates are in USD. */
async function inDollars({ tab }: Visit, { name }: Picture): Promise<string[]> {
  if (/^cost-report|^admin-exchange-rates/.test(name)) return [];
  return linesWithAmounts(await tab.locator('main').innerText(), '$').map((line) => `in dollars: ${line}`);
}

ifThere('every page of the site in China is translated to English, and has amounts in CNY', async () => {
  const look = async (visit: Visit, picture: Picture) => [
    ...(await untranslated(visit, 'en')),
    ...(await inDollars(visit, picture)),
  ];
  expect(await findings(sites.cn.platform, { locale: 'en' }, look)).toEqual([]);
});

ifThere(
  'every page of the site in China is translated to Chinese, and satisfies axe on a phone',
  async () => {
    const look = async (visit: Visit) => [
      ...(await untranslated(visit, 'zh-CN')),
      ...(await inaccessible(visit, ['light'])),
    ];
    expect(await findings(sites.cn.platform, { locale: 'zh-CN', viewport: PHONE }, look)).toEqual([]);
  },
);

ifThere('has visited every route', () => {
  const missing = routePaths().filter((route) => ![...visited].some((address) => isOfRoute(address, route)));
  expect(missing).toEqual([]);
});
