import { join } from 'node:path';
import { createTestDatabase, publishTrainingPrice, type TestDatabase } from '@inference/testing';
import { type Browser, type Page } from 'playwright-core';
import { launchChromium } from '../../site/chromium';
import { consoleBody } from '../../site/console-client';
import { findProgram } from '../../site/nginx';
import { ROOT, type ServiceProcess } from '../../site/service-process';
import { Site } from '../../site/site';
import { openArea } from '../billing-pages';
import { collectFaults } from '../browser-faults';
import { RegisterPage, SignInPage } from '../console-pages';
import { WorkspacePage } from './workspace-pages';

/** Workspaces and training in Chromium, against real services on origins of their own. */

const PERSON = { email: 'ann@example.com', password: 'a password of this test' };
const READER = { email: 'bob@example.com', password: 'another password of this test' };
const REFUNDS = 'Refunds are issued within five days. The form is in the office.';
const NEW_REFUNDS = 'Refunds are issued within nine days. The form is in the office.';
const QUESTION = 'When are refunds issued?';

const chrome = findProgram('chromium');
const ifThere = chrome ? it : it.skip;

let database: TestDatabase;
let site: Site;
let consoleService: ServiceProcess;
let memo: ServiceProcess;
let browser: Browser | undefined;
let tab: Page;
let page: WorkspacePage;
let faults: string[];

async function newTab(): Promise<Page> {
  const context = await browser!.newContext({ baseURL: consoleService.url, locale: 'en-US' });
  return context.newPage();
}

beforeAll(async () => {
  database = await createTestDatabase();
  site = new Site(database);
  const gateway = await site.startGateway(await site.startEngine());
  const origin = await site.consoleUrl();
  memo = await site.startMemo(gateway, { CORS_ORIGINS: origin });
  const training = await site.startPlain('training', {
    CORS_ORIGINS: origin,
    TRAINING_DEFAULT_QUOTA_TOKENS: '12345',
  });
  consoleService = await site.startConsole({
    CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
    GATEWAY_URL: gateway.url,
    MEMO_URL: memo.url,
    TRAINING_URL: training.url,
  });
  await consoleBody(consoleService.url, 'POST', '/api/auth/register', { json: READER, status: 201 });
  if (!chrome) return;
  browser = await launchChromium(chrome);
  tab = await newTab();
  page = new WorkspacePage(tab);
  faults = collectFaults(
    tab,
    [consoleService, memo, training].map(({ url }) => new URL(url).origin),
  );
  await tab.goto('/register');
  await new RegisterPage(tab).register(PERSON);
  await tab.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await database.pool.query('UPDATE accounts.accounts SET email_verified_at = now()');
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await database?.drop();
});
afterEach(() => {
  if (chrome) expect(faults).toEqual([]);
});

ifThere('uploads several files at once, and says when they can be asked about', async () => {
  await openArea(tab, 'Workspaces');
  await page.create('Handbook');
  await page.upload([
    { name: 'refunds.txt', text: REFUNDS },
    { name: 'empty.txt', text: ' ' },
  ]);
  await page.row('Documents', 'refunds.txt').getByText('Ready').waitFor();
  await page.row('Documents', 'empty.txt').getByText('There is no text in this file.').waitFor();
});

ifThere('says why a file was refused, and takes it off the list', async () => {
  await tab
    .locator('input[type=file]')
    .first()
    .setInputFiles({
      name: 'picture.png',
      mimeType: 'image/png',
      buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47]),
    });
  await tab.getByText('Only text, Markdown, HTML, PDF and Word (DOCX) files can be read.').waitFor();
  await tab.getByRole('button', { name: 'Remove picture.png from the list' }).click();
  await tab.getByRole('region', { name: 'Uploads' }).waitFor({ state: 'detached' });
});

ifThere('goes on with an upload on other pages, where the activities show it', async () => {
  let send = () => {};
  const isHeld = new Promise<void>((resolve) => (send = resolve));
  await tab.route(`${memo.url}/**/documents`, async (route) => {
    if (route.request().method() === 'POST') await isHeld;
    await route.continue();
  });
  await page.upload([{ name: 'late.txt', text: 'The office is closed on Sundays.' }]);
  await openArea(tab, 'Overview');
  await tab.getByRole('button', { name: 'Activities: 1 is running' }).click();
  const activities = tab.getByRole('dialog', { name: 'Activities' });
  const activity = activities.getByRole('listitem').filter({ hasText: 'late.txt' });
  await activity.getByText('Upload · Running').waitFor();
  send();
  await activity.getByText('Upload · Done').waitFor();
  await activity.getByRole('link', { name: 'late.txt' }).click();
  await page.row('Documents', 'late.txt').getByText('Ready').waitFor();
  await tab.unroute(`${memo.url}/**/documents`);
});

ifThere('keeps a question that could not be sent', async () => {
  await page.open('Ask');
  await tab.route(`${memo.url}/**/chat`, (route) => route.abort());
  await page.ask(QUESTION);
  await tab.getByText('The service cannot be reached.').waitFor();
  expect(await page.question().inputValue()).toBe(QUESTION);
  await tab.unroute(`${memo.url}/**/chat`);
});

ifThere('answers with a citation, which shows the passage in its document', async () => {
  const searches: string[] = [];
  tab.on('request', (request) => {
    if (request.url().endsWith('/search')) searches.push(request.url());
  });
  await tab.getByRole('button', { name: 'Ask', exact: true }).click();
  const answer = tab.getByRole('article', { name: 'Answer' });
  await answer.getByText('Refunds are issued within five days.').waitFor();
  const passages = tab.getByRole('region', { name: 'Passages' });
  await passages.getByText(/^Score \d/).waitFor();
  await passages.getByText('[1] refunds.txt').waitFor();
  // The passages are those of the answer: nothing is searched and paid for again.
  expect(searches).toEqual([]);
  await answer.getByRole('button', { name: 'Show passage 1 in refunds.txt' }).click();
  const dialog = tab.getByRole('dialog', { name: 'refunds.txt' });
  expect(await dialog.locator('mark').innerText()).toContain('Refunds are issued within five days.');
  expect(await dialog.getByLabel('Text of the document').innerText()).toBe(REFUNDS);
  await tab.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

ifThere('goes on with a conversation after a reload, and deletes it', async () => {
  await tab.reload();
  const answers = tab.getByRole('article', { name: 'Answer' });
  await answers.getByText('Refunds are issued').waitFor();
  await page.ask('Where is the form?');
  await answers
    .nth(1)
    .getByRole('button', { name: /^Show passage/ })
    .waitFor();
  expect(await answers.count()).toBe(2);
  await tab.getByRole('button', { name: `Delete the conversation ${QUESTION}` }).click();
  await page.confirmDelete();
  await tab.getByText('Your questions will be here.').waitFor();
  expect(await answers.count()).toBe(0);
});

ifThere('replaces a document by a new version', async () => {
  await page.open('Documents');
  const choosing = tab.waitForEvent('filechooser');
  await tab.getByRole('button', { name: 'Replace refunds.txt by a new version' }).click();
  await (
    await choosing
  ).setFiles({
    name: 'refunds.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from(NEW_REFUNDS),
  });
  const row = page.row('Documents', 'refunds.txt');
  await row.getByRole('cell', { name: '2', exact: true }).waitFor();
  await row.getByText('Ready').waitFor();
  await row.getByRole('button', { name: 'refunds.txt', exact: true }).click();
  await tab.getByRole('dialog').getByText(NEW_REFUNDS).waitFor();
  await tab.keyboard.press('Escape');
});

ifThere('shows the secret of a key once, and nowhere afterwards', async () => {
  await page.open('Keys');
  await tab.getByRole('button', { name: 'Create a key' }).click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('website');
  await dialog.getByRole('button', { name: 'Create the key' }).click();
  const secret = (await dialog.getByLabel('Secret of the key').innerText()).trim();
  expect(secret).toMatch(/^sk_\w+/);
  const id = /ws_\w+/.exec(tab.url())![0];
  const own = await fetch(`${memo.url}/v1/workspaces/${id}`, { headers: { 'X-API-Key': secret } });
  expect(own.status).toBe(200);
  await dialog.getByRole('checkbox', { name: 'I have kept the secret' }).check();
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await page.row('Keys', 'website').waitFor();
  const kept = await tab.evaluate(
    `document.documentElement.outerHTML + JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage })`,
  );
  expect(kept).not.toContain(secret);
  await tab.getByRole('button', { name: 'Delete the key website' }).click();
  await page.confirmDelete();
  await tab.getByRole('heading', { name: 'No keys yet' }).waitFor();
});

async function invite(email: string): Promise<void> {
  await tab.getByRole('button', { name: 'Invite a member' }).click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'E-mail address' }).fill(email);
  await dialog.getByRole('button', { name: 'Send the invitation' }).click();
}

ifThere('invites nobody while the own address is not confirmed', async () => {
  await page.open('Members');
  await database.pool.query('UPDATE accounts.accounts SET email_verified_at = NULL WHERE email = $1', [
    PERSON.email,
  ]);
  await invite('nobody@example.com');
  await tab.getByRole('dialog').getByText('Confirm your own e-mail address').waitFor();
  await tab.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await database.pool.query('UPDATE accounts.accounts SET email_verified_at = now() WHERE email = $1', [
    PERSON.email,
  ]);
});

ifThere('lists whom it has invited, with or without an account, until they answer', async () => {
  for (const email of ['nobody@example.com', READER.email]) {
    await invite(email);
    await page.row('Open invitations', email).waitFor();
  }
  await invite(PERSON.email);
  await tab.getByRole('dialog').getByText('A member has this address already').waitFor();
  await tab.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await tab.getByRole('button', { name: 'Revoke the invitation of nobody@example.com' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.row('Open invitations', 'nobody@example.com').waitFor({ state: 'detached' });
});

ifThere('a member who may only read accepts, and sees nothing that would be refused', async () => {
  const other = await newTab();
  await other.goto('/sign-in');
  await new SignInPage(other).signIn(READER);
  await other.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await other.goto('/workspaces');
  const received = other.getByRole('region', { name: 'Your invitations' });
  await received.getByText(`${PERSON.email} invites you`).waitFor();
  await received.getByRole('button', { name: 'Accept the invitation to Handbook' }).click();
  await new WorkspacePage(other).row('Documents', 'refunds.txt').waitFor();
  await tab.reload();
  await page.row('Members', READER.email).waitFor();
  expect(await tab.getByRole('region', { name: 'Open invitations' }).count()).toBe(0);
  for (const name of ['Rename', 'Delete', 'Choose files to upload', 'Delete the document refunds.txt'])
    expect(await other.getByRole('button', { name, exact: true }).count()).toBe(0);
  await new WorkspacePage(other).open('Members');
  await other.getByRole('button', { name: 'Leave the workspace' }).waitFor();
  expect(await other.getByRole('button', { name: /^(Remove|Invite a member)/ }).count()).toBe(0);
  await other.context().close();
});

ifThere('keeps the last admin, and deletes the workspace', async () => {
  await tab.getByRole('button', { name: 'Leave the workspace' }).click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Leave the workspace' }).click();
  await dialog.getByText('A workspace keeps at least one admin.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await tab.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.confirmDelete();
  await tab.getByRole('heading', { name: 'No workspaces yet' }).waitFor();
});

ifThere('shows the quota and the prices of training, and says if they are not set up', async () => {
  await openArea(tab, 'Training');
  await tab.getByRole('heading', { name: 'Training is not available yet' }).waitFor();
  await publishTrainingPrice(database.pool, 3_000_001n, 2_500_000_000_000n);
  await tab.reload();
  const quota = tab.getByRole('region', { name: 'Quota' });
  await quota.getByText('12,345').first().waitFor();
  const price = tab.getByRole('region', { name: 'Prices' }).locator('data').first();
  expect(await price.getAttribute('value')).toBe('3.000001');
});
