import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@inference/testing';
import { type Browser, type BrowserContext, type Page } from 'playwright-core';
import { launchChromium } from '../site/chromium';
import { findProgram } from '../site/nginx';
import { ROOT, type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';
import { openArea } from './billing-pages';
import { collectFaults } from './browser-faults';
import { KeysPage, RegisterPage, SignInPage } from './console-pages';

/** The main path through the console's pages in Chromium, against a real console. */

const PERSON = { email: 'ann@example.com', password: 'a password of this test' };

const chrome = findProgram('chromium');
const ifThere = chrome ? it : it.skip;

let database: TestDatabase;
let site: Site;
let consoleService: ServiceProcess;
let browser: Browser | undefined;
let context: BrowserContext;
let tab: Page;
let faults: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  site = new Site(database);
  consoleService = await site.startConsole({ CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui') });
  if (!chrome) return;
  browser = await launchChromium(chrome);
  context = await browser.newContext({ baseURL: consoleService.url, locale: 'en-US' });
  tab = await context.newPage();
  faults = collectFaults(tab, [new URL(consoleService.url).origin]);
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await database?.drop();
});
afterEach(() => {
  if (chrome) expect(faults).toEqual([]);
});

ifThere('a visitor registers and gets to the overview, and from there to the API keys', async () => {
  await tab.goto('/register');
  await new RegisterPage(tab).register(PERSON);
  await tab.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await openArea(tab, 'API keys');
  await new KeysPage(tab).heading().waitFor();
});

ifThere('shows the secret of a new key once, and nowhere afterwards', async () => {
  const keys = new KeysPage(tab);
  const secret = await keys.create('production', '1234567.123456789012');
  expect(secret).toMatch(/^bfvk-[A-Za-z0-9]{36}$/);
  await keys.confirmKept();
  await keys.row('production').waitFor();
  const kept = await tab.evaluate(
    `document.documentElement.outerHTML + JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage })`,
  );
  expect(kept).not.toContain(secret);
});

ifThere('keeps every digit of a limit', async () => {
  const limit = new KeysPage(tab).row('production').getByText('$1,234,567.12');
  expect(await limit.getAttribute('value')).toBe('1234567.123456789012');
});

ifThere('deletes a key', async () => {
  const keys = new KeysPage(tab);
  await keys.delete('production');
  await tab.getByRole('heading', { name: 'No keys yet' }).waitFor();
});

ifThere('is in Chinese when that is chosen', async () => {
  await tab.getByRole('button', { name: 'Language, colours and time zone' }).click();
  await tab.getByRole('menuitemradio', { name: '简体中文' }).click();
  await tab.getByRole('heading', { name: 'API 密钥' }).waitFor();
  expect(await tab.locator('html').getAttribute('lang')).toBe('zh-CN');
  await tab.getByRole('menuitemradio', { name: 'English' }).click();
  await tab.keyboard.press('Escape');
});

ifThere('leads to the sign-in after a sign-out, and refuses a wrong password', async () => {
  await tab.getByRole('button', { name: 'Account' }).click();
  await tab.getByRole('menuitem', { name: 'Sign out' }).click();
  const page = new SignInPage(tab);
  await page.signIn({ ...PERSON, password: 'not the password' });
  await page.error().getByText('The account does not exist or the password is wrong.').waitFor();
  await page.signIn(PERSON);
  await new KeysPage(tab).heading().waitFor();
});

ifThere.each([
  ['/login?next=/keys', '/sign-in?next=%2Fkeys', 'Sign in'],
  ['/signin', '/sign-in', 'Sign in'],
  ['/signup', '/register', 'Create an account'],
  ['/sign-up', '/register', 'Create an account'],
])('%s leads to %s', async (path, address, title) => {
  const visitor = await browser!.newContext({ baseURL: consoleService.url, locale: 'en-US' });
  const page = await visitor.newPage();
  await page.goto(path);
  await page.getByRole('heading', { name: title, level: 1 }).waitFor();
  expect(page.url()).toBe(consoleService.url + address);
  await visitor.close();
});

ifThere('says that a page does not exist', async () => {
  const visitor = await browser!.newContext({ baseURL: consoleService.url, locale: 'en-US' });
  const page = await visitor.newPage();
  await page.goto('/no-such-page');
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  await visitor.close();
});
