import { join } from 'node:path';
import { createTestDatabase, publishPrices, type TestDatabase } from '@inference/testing';
import { type Browser, type Page } from 'playwright-core';
import { launchChromium } from '../site/chromium';
import { createAdmin } from '../site/create-admin';
import { findProgram } from '../site/nginx';
import { ROOT } from '../site/service-process';
import { Site } from '../site/site';
import { openArea, UsagePage } from './billing-pages';
import { collectFaults } from './browser-faults';
import { SignInPage } from './console-pages';

/** The pages of balance, usage, requests and payments in Chromium, against a real console, gateway and model server. */

const PERSON = { email: 'ann@example.com', password: 'a password of this test' };
const MODELS = ['sandbox-chat', 'sandbox-mini'];
const CREDIT = 25;

const chrome = findProgram('chromium');
const ifThere = chrome ? it : it.skip;

let database: TestDatabase;
let site: Site;
let consoleUrl: string;
let gatewayUrl: string;
let token: string;
let browser: Browser | undefined;
let tab: Page;
let faults: string[];

async function post<Answer>(url: string, credential: string, body: object): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(credential && { Authorization: `Bearer ${credential}` }),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

beforeAll(async () => {
  database = await createTestDatabase();
  await publishPrices(
    database.pool,
    MODELS.flatMap((slug) => [
      { slug, unit: 'per_million_input_tokens' as const, ratePicos: 150_001n },
      { slug, unit: 'per_million_output_tokens' as const, ratePicos: 599_999n },
    ]),
  );
  site = new Site(database);
  const gateway = await site.startGateway(await site.startEngine());
  const consoleService = await site.startConsole({
    CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
    GATEWAY_URL: gateway.url,
  });
  [consoleUrl, gatewayUrl] = [consoleService.url, gateway.url];
  await createAdmin(database.urlFor('console'), 'intl', PERSON);
  const login = { identifier: PERSON.email, password: PERSON.password };
  ({ token } = await post<{ token: string }>(`${consoleUrl}/api/auth/login`, '', login));
  if (!chrome) return;
  browser = await launchChromium(chrome);
  const context = await browser.newContext({ baseURL: consoleUrl, locale: 'en-US', timezoneId: 'UTC' });
  tab = await context.newPage();
  faults = collectFaults(tab, [new URL(consoleUrl).origin]);
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await database?.drop();
});
afterEach(() => {
  if (chrome) expect(faults).toEqual([]);
});

ifThere('the overview ticks the first steps off by itself', async () => {
  await tab.goto('/sign-in');
  await new SignInPage(tab).signIn(PERSON);
  await tab.getByText('0 of 3 done').waitFor();
  const account = await fetch(`${consoleUrl}/api/auth/me`, { headers: { Authorization: `Bearer ${token}` } });
  const { id } = (await account.json()) as { id: string };
  await post(`${consoleUrl}/api/admin/billing/adjustments`, token, {
    account_id: id,
    amount: CREDIT,
    description: 'Welcome',
  });
  const { key } = await post<{ key: string }>(`${consoleUrl}/api/api-keys`, token, { name: 'production' });
  await tab.reload();
  await tab.getByText('2 of 3 done').waitFor();
  for (const model of MODELS)
    await post(`${gatewayUrl}/v1/chat/completions`, key, {
      model,
      messages: [{ role: 'user', content: 'Hello' }],
    });
  // The page asks for the first call by itself.
  await tab.getByRole('heading', { name: 'Getting started' }).waitFor({ state: 'detached' });
});

ifThere('the usage page, its CSV and the API have the same sums', async () => {
  await openArea(tab, 'Usage and cost');
  const page = new UsagePage(tab);
  await page.table('Details').waitFor();
  const [sums, details] = [await page.costs('Sums'), await page.costs('Details')];
  expect(sums.at(-1)).toBe(details.at(-1));
  const header = { Authorization: `Bearer ${token}` };
  const settings = await (await fetch(`${consoleUrl}/api/billing/settings`, { headers: header })).text();
  const balance = /"balance":([\d.]+)/.exec(settings)![1]!;
  expect(picosOf(sums.at(-1)!)).toBe(picosOf(String(CREDIT)) - picosOf(balance));
  const costs = (await page.csv())
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',')[4]!);
  expect(costs.reduce((sum, cost) => sum + picosOf(cost), 0n)).toBe(picosOf(sums.at(-1)!));
  await page.choose('Group by', 'API key');
  await page.table('Sums').getByRole('button', { name: 'Show only production' }).waitFor();
  expect(new URL(tab.url()).searchParams.get('group')).toBe('api_key');
  expect((await page.costs('Sums')).at(-1)).toBe(sums.at(-1));
});

ifThere('a request says why it cost what it cost', async () => {
  await openArea(tab, 'Requests');
  const table = tab.getByRole('table', { name: 'Requests' });
  await table.getByText('sandbox-mini').waitFor();
  await table.getByRole('link').first().click();
  const lines = tab.getByRole('table', { name: 'Why this cost' });
  await lines.getByText('Output tokens').waitFor();
  const amounts = await lines
    .locator('tr td:last-child data')
    .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('value')!));
  const total = picosOf(amounts.pop()!);
  expect(amounts.reduce((sum, amount) => sum + picosOf(amount), 0n)).toBe(total);
});

ifThere('transactions, payments and the top-up are there without a provider', async () => {
  await openArea(tab, 'Transactions');
  await tab.getByRole('table', { name: 'Transactions' }).getByText('Welcome').waitFor();
  await openArea(tab, 'Payments');
  await tab.getByRole('heading', { name: 'No payments yet' }).waitFor();
  await tab.getByRole('main').getByRole('link', { name: 'Top up' }).click();
  await tab.getByRole('heading', { name: 'No payment methods yet' }).waitFor();
});

const PICO_DIGITS = 12;
/** A decimal amount as whole picos. */
function picosOf(amount: string): bigint {
  const [whole = '0', decimals = ''] = amount.split('.');
  return BigInt(whole + decimals.padEnd(PICO_DIGITS, '0'));
}
