import { join } from 'node:path';
import { createTestDatabase, publishPrices, type TestDatabase } from '@inference/testing';
import { type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core';
import { launchChromium } from '../../site/chromium';
import { consoleBody } from '../../site/console-client';
import { createAdmin } from '../../site/create-admin';
import { findProgram } from '../../site/nginx';
import { ROOT } from '../../site/service-process';
import { Site } from '../../site/site';
import { collectFaults } from '../browser-faults';
import { KeysPage, type Person, SignInPage } from '../console-pages';
import { signOut } from './account-pages';

/** Accounts that share a browser see nothing of each other, in one tab or in two, after a sign-out or without one. */

const ANN = { email: 'ann@example.com', password: 'a password of this test' };
const BOB = { email: 'bob@example.com', password: 'another password of this test' };
const MODEL = 'sandbox-chat';
const QUESTION = 'What does nobody else know?';

const chrome = findProgram('chromium');
const ifThere = chrome ? it : it.skip;

let database: TestDatabase;
let site: Site;
let consoleUrl: string;
let browser: Browser | undefined;
let context: BrowserContext;
let tab: Page;
const faults: string[][] = [];

const login = ({ email, password }: Person) =>
  consoleBody<{ token: string; user: { id: string } }>(consoleUrl, 'POST', '/api/auth/login', {
    json: { identifier: email, password },
  });

/**
 * Ends all sessions of the account, as its owner does from another device. The tab notices it by the next submitted form: what its
 * pages ask from time to time gets no answer until then.
 */
async function endSessions(person: Person): Promise<void> {
  let isQuiet = true;
  await tab.route('**/api/**', (route) => {
    if (route.request().method() !== 'GET') isQuiet = false;
    return isQuiet ? undefined : route.continue();
  });
  const { token } = await login(person);
  await consoleBody(consoleUrl, 'DELETE', '/api/auth/sessions', { token, status: 204 });
}

async function openTab(path: string): Promise<Page> {
  const page = await context.newPage();
  faults.push(collectFaults(page, [new URL(consoleUrl).origin]));
  await page.goto(path);
  return page;
}

/** A browser in which the person has signed in, with the page of the keys in one tab. */
async function openBrowser(person: Person): Promise<void> {
  await context?.close();
  context = await browser!.newContext({ baseURL: consoleUrl, locale: 'en-US', timezoneId: 'UTC' });
  tab = await openTab('/sign-in?next=/keys');
  await new SignInPage(tab).signIn(person);
  await new KeysPage(tab).heading().waitFor();
}

/** The keys that the tab shows, once it shows those of this account, and who its menu says is signed in. */
async function untilShownTo(page: Page, { email }: Person, keyName: string): Promise<void> {
  await new KeysPage(page).row(keyName).waitFor();
  await page.getByRole('button', { name: 'Account', exact: true }).click();
  await page.getByRole('menu').getByText(email).waitFor();
  await page.keyboard.press('Escape');
}

async function fillKeyForm(name: string): Promise<Locator> {
  await tab.getByRole('button', { name: 'Create a key' }).click();
  const form = tab.getByRole('dialog', { name: 'Create a key' });
  await form.getByRole('textbox', { name: 'Name' }).fill(name);
  return form;
}

/** Everything that a page can keep in the browser. */
const keptIn = (page: Page) =>
  page.evaluate<string>(`(async () => JSON.stringify({
    local: { ...localStorage },
    tab: { ...sessionStorage },
    cookies: document.cookie,
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
  }))()`);

beforeAll(async () => {
  database = await createTestDatabase();
  await publishPrices(database.pool, [
    { slug: MODEL, unit: 'per_million_input_tokens', ratePicos: 150_001n },
    { slug: MODEL, unit: 'per_million_output_tokens', ratePicos: 599_999n },
  ]);
  site = new Site(database);
  const gateway = await site.startGateway(await site.startEngine());
  const { url } = await site.startConsole({
    CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
    GATEWAY_URL: gateway.url,
  });
  consoleUrl = url;
  for (const person of [ANN, BOB]) {
    await createAdmin(database.urlFor('console'), 'intl', person);
    const { token } = await login(person);
    const json = { name: `key of ${person.email}` };
    await consoleBody(consoleUrl, 'POST', '/api/api-keys', { token, json, status: 201 });
  }
  if (chrome) browser = await launchChromium(chrome);
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await database?.drop();
});
afterEach(() => {
  expect(faults.flat()).toEqual([]);
});

ifThere('a sign-out empties all tabs, and another sign-in shows the other account in all', async () => {
  await openBrowser(ANN);
  await untilShownTo(tab, ANN, 'key of ann@example.com');
  const other = await openTab('/keys');
  await new KeysPage(other).heading().waitFor();
  await signOut(other);
  await tab.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
  expect(await tab.locator('html').innerHTML()).not.toContain('ann@example.com');
  await new SignInPage(other).signIn(BOB);
  await untilShownTo(other, BOB, 'key of bob@example.com');
  await untilShownTo(tab, BOB, 'key of bob@example.com');
  expect(await tab.locator('html').innerHTML()).not.toContain('ann@example.com');
});

ifThere('a tab that heard of no change shows the account that the browser has now', async () => {
  await openBrowser(ANN);
  const form = await fillKeyForm('made for whom');
  await context.request.post('/api/auth/login', {
    data: { identifier: BOB.email, password: BOB.password },
    headers: { Origin: consoleUrl },
  });
  await endSessions(ANN);
  await form.getByRole('button', { name: 'Create the key' }).click();
  await untilShownTo(tab, BOB, 'key of bob@example.com');
  expect(await tab.getByText('made for whom').count()).toBe(0);
});

ifThere('who signs in over a page whose session has ended sees pages of their own', async () => {
  await openBrowser(ANN);
  const form = await fillKeyForm('made for whom');
  await endSessions(ANN);
  await form.getByRole('button', { name: 'Create the key' }).click();
  const ended = tab.getByRole('dialog', { name: 'Your session has ended' });
  await ended.waitFor();
  await new SignInPage(ended).signIn(BOB);
  await untilShownTo(tab, BOB, 'key of bob@example.com');
  expect(await tab.getByRole('dialog').count()).toBe(0);
});

ifThere('an open form keeps its entries until its account has signed in again', async () => {
  await openBrowser(ANN);
  const form = await fillKeyForm('typed before');
  await endSessions(ANN);
  await form.getByRole('button', { name: 'Create the key' }).click();
  const ended = tab.getByRole('dialog', { name: 'Your session has ended' });
  await ended.waitFor();
  await tab.keyboard.press('Escape');
  // Its fields are in reach only above the form.
  await ended.getByRole('textbox').first().click();
  await new SignInPage(ended).signIn(ANN);
  await ended.waitFor({ state: 'detached' });
  expect(await form.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('typed before');
  await form.getByRole('button', { name: 'Create the key' }).click();
  await tab.getByLabel('Secret of the key').waitFor();
});

ifThere('nothing of an account is kept after its sign-out', async () => {
  await openBrowser(ANN);
  const { user } = await login(ANN);
  await tab.goto('/playground');
  await tab.getByRole('textbox', { name: 'Your message' }).fill(QUESTION);
  await tab.getByRole('textbox', { name: 'System prompt' }).fill('A secret of Ann');
  await tab.goto('/admin/pricing');
  await tab
    .getByRole('textbox', { name: /^New price of / })
    .first()
    .fill('77.77');
  await tab.reload();
  expect(
    await tab
      .getByRole('textbox', { name: /^New price of / })
      .first()
      .inputValue(),
  ).toBe('77.77');
  const ofAnn = [user.id, 'ann@', QUESTION, 'A secret of Ann', '77.77'];
  const before = await keptIn(tab);
  for (const text of [user.id, QUESTION, '77.77']) expect(before).toContain(text);

  const other = await openTab('/keys');
  await new KeysPage(other).heading().waitFor();
  await signOut(other);
  await tab.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
  for (const page of [tab, other]) {
    const after = await keptIn(page);
    for (const text of ofAnn) expect(after).not.toContain(text);
    expect(after).toContain('"databases":[],"caches":[]');
  }
  await tab.goto('/sign-in?next=/playground');
  await new SignInPage(tab).signIn(BOB);
  expect(await tab.getByRole('textbox', { name: 'Your message' }).inputValue()).toBe('');
});
