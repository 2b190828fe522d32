import { rememberSecret } from '@inference/testing';
import { type Browser, type Page } from 'playwright-core';
import { launchChromium } from '../../site/chromium';
import { findProgram } from '../../site/nginx';
import { openArea, UsagePage } from '../billing-pages';
import { SignInPage } from '../console-pages';
import { type RunningSite, signIn, startSite } from './running-site';
import { bookUsage, seedCalls } from './seeded-usage';

/** The cost of all accounts in Chromium, against a real console and router-cost service. */

const CUSTOMER = { email: 'ben@example.com', password: 'another password of this test' };
const ANALYST = { email: 'eve@example.com', password: 'a third password of this test' };
const PERIOD = 'range=custom&from=2026-02-01&to=2026-02-28&zone=UTC';
/** Both exceed the digits of a double. */
const COSTS = { own: 1_234_567_123_456_789_012n, customers: 9_007_199_254_740_993n };
const SHOWN = { own: '1234567.123456789012', customers: '9007.199254740993', total: '1243574.322711530005' };

const chrome = findProgram('chromium');
const ifThere = chrome ? it : it.skip;

let site: RunningSite;
let browser: Browser | undefined;
let tab: Page;
let faults: string[];
const ids: Record<string, string> = {};

async function register(account: typeof CUSTOMER): Promise<string> {
  rememberSecret(account.password);
  const answer = await fetch(`${site.consoleUrl}/api/auth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(account),
  });
  return ((await answer.json()) as { user: { id: string } }).user.id;
}

beforeAll(async () => {
  site = await startSite('intl');
  const { database, accountId } = site;
  ids['customer'] = await register(CUSTOMER);
  await database.pool.query("UPDATE accounts.accounts SET role = 'analyst' WHERE id = $1", [
    await register(ANALYST),
  ]);
  const at = '2026-02-03T10:00:00Z';
  await seedCalls(database, accountId, 'chat', [{ id: 'own', at, costPicos: COSTS.own }]);
  await seedCalls(database, ids['customer'], 'embed', [{ id: 'customers', at, costPicos: COSTS.customers }]);
  await bookUsage(database, accountId);
  await bookUsage(database, ids['customer']);
  if (!chrome) return;
  browser = await launchChromium(chrome);
  ({ tab, faults } = await signIn(browser, site));
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
});
afterEach(() => {
  if (chrome) expect(faults).toEqual([]);
});

const report = (page: Page) => page.getByRole('table', { name: 'Cost of all accounts' });

/** The exact cost of each row, the total at the end. */
const costs = (page: Page) =>
  report(page)
    .locator('tr:has(data)')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('data')].at(-1)?.getAttribute('value')),
    );

ifThere('shows an admin what each account costs, exactly, and exports the same', async () => {
  await openArea(tab, 'Cost of all accounts');
  await tab.goto(`/cost-report?${PERIOD}`);
  await report(tab).getByRole('link', { name: CUSTOMER.email }).waitFor();
  await report(tab).locator(`tfoot data[value="${SHOWN.total}"]`).waitFor();
  expect(await costs(tab)).toEqual([SHOWN.own, SHOWN.customers, SHOWN.total]);
  expect(await new UsagePage(tab).csv()).toBe(
    `user,cost_usd,tokens\r\n${site.accountId},${SHOWN.own},0\r\n${ids['customer']!},${SHOWN.customers},0\r\n`,
  );
  await report(tab).getByRole('link', { name: CUSTOMER.email }).click();
  await tab.getByRole('heading', { name: CUSTOMER.email, level: 1 }).waitFor();
});

ifThere('divides it by model and source, and keeps that in the address', async () => {
  await tab.goto(`/cost-report?${PERIOD}`);
  const page = new UsagePage(tab);
  await page.choose('Group by', 'Model');
  await report(tab).getByText('embed').waitFor();
  expect(new URL(tab.url()).searchParams.get('by')).toBe('model');
  expect((await costs(tab)).slice(0, 2)).toEqual([SHOWN.own, SHOWN.customers]);
  await page.choose('Group by', 'Source');
  await report(tab).getByRole('row', { name: /^API/ }).locator(`data[value="${SHOWN.total}"]`).waitFor();
  await page.choose('Group by', 'API key');
  await report(tab).getByText('Without a key').waitFor();
});

async function signedIn(account: typeof CUSTOMER): Promise<Page> {
  const context = await browser!.newContext({ baseURL: site.consoleUrl, locale: 'en-US' });
  const page = await context.newPage();
  await page.goto(`/sign-in?next=${encodeURIComponent(`/cost-report?${PERIOD}`)}`);
  await new SignInPage(page).signIn(account);
  return page;
}

ifThere('shows analysts the ids of accounts, and no page of admins', async () => {
  const page = await signedIn(ANALYST);
  await report(page).getByText(ids['customer']!).waitFor();
  expect(await report(page).getByRole('link').count()).toBe(0);
  expect(await page.getByRole('navigation').getByText('Audit events').count()).toBe(0);
  await page.getByRole('navigation').getByRole('link', { name: 'Cost of all accounts' }).waitFor();
  await page.context().close();
});

ifThere('does not exist for customers', async () => {
  const page = await signedIn(CUSTOMER);
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  expect(await page.getByRole('navigation').getByText('Cost of all accounts').count()).toBe(0);
  await page.context().close();
});
