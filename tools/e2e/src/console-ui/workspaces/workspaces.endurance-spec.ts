import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import PDFDocument from 'pdfkit';
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

/** Where the line of a page stands, and how high it is, in points; a page has 612 and 792. */
const LINE = { x: 72, y: 600, size: 14 };

/** A PDF with one line on each page. */
async function pdfOf(lines: string[]): Promise<Buffer> {
  const document = new PDFDocument({ autoFirstPage: false });
  for (const line of lines) document.addPage().fontSize(LINE.size).text(line, LINE.x, LINE.y);
  document.end();
  return buffer(document);
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
  await page.row('Documents', 'empty.txt').getByText('This file contains no text.').waitFor();
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
  await tab.getByText('This type of file is not supported.').waitFor();
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
  await passages.getByText('[1] refunds.txt').waitFor();
  // The passages are those of the answer: nothing is searched and paid for again.
  expect(searches).toEqual([]);
  await answer.getByRole('button', { name: 'Show passage 1 in refunds.txt' }).click();
  const dialog = tab.getByRole('dialog', { name: 'refunds.txt' });
  expect(await dialog.locator('mark').innerText()).toContain('Refunds are issued within five days.');
  expect(await dialog.getByLabel('Document text').innerText()).toBe(REFUNDS);
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
  await tab.getByText('Your conversations appear here.').waitFor();
  expect(await answers.count()).toBe(0);
});

ifThere(
  'says before a question that its answer is free, and suggests questions from the documents',
  async () => {
    await tab.getByText('They are free.').waitFor();
    const suggestions = tab.getByRole('region', { name: 'Suggested questions' });
    await suggestions.getByRole('button', { name: 'What does “refunds” say?' }).click();
    const answer = tab.getByRole('article', { name: 'Answer' });
    await answer.getByText('Quoted from the documents · Free of charge').waitFor();
    await tab.getByRole('button', { name: 'New conversation' }).click();
  },
);

ifThere('answers from the chosen documents only', async () => {
  const choose = async (name: string) => {
    await tab.getByRole('combobox', { name: 'Search in' }).fill(name);
    await tab.getByRole('option', { name, exact: true }).click();
  };
  const answer = tab.getByRole('article', { name: 'Answer' });
  await choose('late.txt');
  await page.ask(QUESTION);
  await answer.getByText('Quoted from the documents').waitFor();
  expect(await answer.getByRole('button', { name: /^Show passage/ }).count()).toBe(0);
  await choose('refunds.txt');
  await page.ask(QUESTION);
  await answer.nth(1).getByRole('button', { name: 'Show passage 1 in refunds.txt' }).waitFor();
  await tab.getByRole('button', { name: 'Filter by date or metadata' }).click();
  await tab.getByRole('textbox', { name: 'From' }).fill('2026-01-31');
  await tab.getByRole('textbox', { name: 'Metadata name' }).fill('team');
  await tab.getByRole('textbox', { name: 'Metadata value' }).fill('sales');
  await page.ask(QUESTION);
  await answer.nth(2).getByText('Quoted from the documents').waitFor();
  expect(
    await answer
      .nth(2)
      .getByRole('button', { name: /^Show passage/ })
      .count(),
  ).toBe(0);
  await tab.getByRole('button', { name: 'Remove filters' }).click();
});

ifThere('copies an answer with its citations', async () => {
  await tab.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await tab
    .getByRole('article', { name: 'Answer' })
    .nth(1)
    .getByRole('button', { name: 'Copy the answer' })
    .click();
  const copied = await tab.evaluate<string>('navigator.clipboard.readText()');
  expect(copied).toBe(
    'Refunds are issued within five days. [1]\n\nSources:\n[1] refunds.txt: “Refunds are issued within five days.”',
  );
});

ifThere('rates an answer, says who reads that, and shows it to the admins', async () => {
  const answer = tab.getByRole('article', { name: 'Answer' }).nth(1);
  await answer.getByRole('button', { name: 'Not helpful' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Was this answer helpful?' });
  await dialog.getByText('The admins of this workspace will see the question').waitFor();
  await dialog.getByRole('textbox', { name: 'Comment' }).fill('Which form?');
  await dialog.getByRole('button', { name: 'Send feedback' }).click();
  await answer.getByRole('button', { name: 'Not helpful', pressed: true }).waitFor();
  await page.open('Feedback');
  await tab.getByText('Not helpful: 1').waitFor();
  const row = page.row('Feedback', 'Which form?');
  await row.getByText(QUESTION).waitFor();
  await row.getByText(PERSON.email).waitFor();
});

ifThere('shows the page of a PDF beside its text with the passage marked', async () => {
  await page.open('Documents');
  const lines = ['Parcels are sent on Mondays.', 'The canteen serves soup on Fridays.', 'Dogs are welcome.'];
  await tab
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'house.pdf', mimeType: 'application/pdf', buffer: await pdfOf(lines) });
  await page.row('Documents', 'house.pdf').getByText('Ready').waitFor();
  await page.open('Ask');
  await page.ask('When does the canteen serve soup?');
  await tab.getByRole('button', { name: 'Show passage 1 in house.pdf' }).click();
  const dialog = tab.getByRole('dialog', { name: 'house.pdf' });
  await dialog.getByRole('img', { name: 'Page 2 of 3' }).waitFor();
  expect(await dialog.locator('mark').innerText()).toContain(lines[1]);
  const mark = dialog.locator('[data-passage]').first();
  await mark.waitFor();
  const [box, sheet] = [await mark.boundingBox(), await dialog.locator('canvas').boundingBox()];
  expect((box!.x - sheet!.x) / sheet!.width).toBeCloseTo(LINE.x / 612, 2);
  const middle = ((box!.y + box!.height / 2 - sheet!.y) / sheet!.height) * 792;
  expect(middle).toBeGreaterThan(LINE.y);
  expect(middle).toBeLessThan(LINE.y + LINE.size);
  await dialog.getByRole('button', { name: 'Next page' }).click();
  await dialog.getByRole('img', { name: 'Page 3 of 3' }).waitFor();
  await dialog.getByRole('button', { name: 'Back to the passage' }).click();
  await dialog.getByRole('img', { name: 'Page 2 of 3' }).waitFor();
  await tab.keyboard.press('Escape');
  const passages = tab.getByRole('region', { name: 'Passages' });
  expect(await passages.getByText(/score/i).count()).toBe(0);
  await passages.getByRole('button', { name: /house.pdf/ }).click();
  await dialog.getByText(/^Relevance score \d/).waitFor();
  await tab.keyboard.press('Escape');
});

ifThere('replaces a document by a new version', async () => {
  await page.open('Documents');
  const choosing = tab.waitForEvent('filechooser');
  await tab.getByRole('button', { name: 'Upload a new version of refunds.txt' }).click();
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

ifThere('reads a failed document once more', async () => {
  const row = page.row('Documents', 'empty.txt');
  await row.getByRole('button', { name: 'Try to read empty.txt again' }).click();
  await row.getByRole('cell', { name: '2', exact: true }).waitFor();
  await row.getByText('This file contains no text.').waitFor();
});

ifThere('finds documents by their title', async () => {
  await tab.getByRole('searchbox', { name: 'Search by title' }).fill('LATE');
  await page.row('Documents', 'refunds.txt').waitFor({ state: 'detached' });
  await page.row('Documents', 'late.txt').waitFor();
  await tab.getByRole('searchbox', { name: 'Search by title' }).fill('');
  await page.row('Documents', 'refunds.txt').waitFor();
});

ifThere('deletes several documents at once, and names one that could not be', async () => {
  const failing = page.row('Documents', 'late.txt');
  for (const name of ['late.txt', 'empty.txt', 'house.pdf'])
    await tab.getByRole('checkbox', { name: `Select ${name}` }).check();
  let fails = true;
  const { rows } = await database.pool.query<{ id: string }>(
    "SELECT document_id AS id FROM memo.document_versions WHERE title = 'late.txt'",
  );
  const late = rows[0]!.id;
  await tab.route(`${memo.url}/**/documents/${late}`, (route) => (fails ? route.abort() : route.continue()));
  await tab.getByRole('button', { name: 'Delete 3 documents' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Delete 3 documents?' });
  await dialog.getByRole('button', { name: 'Delete 3 documents' }).click();
  await tab.getByText('1 document could not be deleted: late.txt').waitFor();
  await page.row('Documents', 'house.pdf').waitFor({ state: 'detached' });
  await failing.waitFor();
  fails = false;
  await tab.getByRole('dialog').getByRole('button', { name: 'Delete 1 document' }).click();
  await failing.waitFor({ state: 'detached' });
  await page.row('Documents', 'refunds.txt').waitFor();
  await tab.unroute(`${memo.url}/**/documents/${late}`);
});

ifThere('shows the secret of a key once, and nowhere afterwards', async () => {
  await page.open('Keys');
  await tab.getByRole('button', { name: 'Create a key' }).click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('website');
  await dialog.getByRole('button', { name: 'Create the key' }).click();
  const secret = (await dialog.getByLabel('Workspace key').innerText()).trim();
  expect(secret).toMatch(/^sk_\w+/);
  const id = /ws_\w+/.exec(tab.url())![0];
  const own = await fetch(`${memo.url}/v1/workspaces/${id}`, { headers: { 'X-API-Key': secret } });
  expect(own.status).toBe(200);
  await dialog.getByRole('checkbox', { name: 'I have saved the key' }).check();
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
    await page.row('Pending invitations', email).waitFor();
  }
  await invite(PERSON.email);
  await tab.getByRole('dialog').getByText('This address already belongs to a member').waitFor();
  await tab.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await tab.getByRole('button', { name: 'Revoke the invitation for nobody@example.com' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.row('Pending invitations', 'nobody@example.com').waitFor({ state: 'detached' });
});

ifThere('a member who may only read accepts, and sees nothing that would be refused', async () => {
  const other = await newTab();
  await other.goto('/sign-in');
  await new SignInPage(other).signIn(READER);
  await other.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await other.goto('/workspaces');
  const received = other.getByRole('region', { name: 'Invitations for you' });
  await received.getByText(`${PERSON.email} invites you`).waitFor();
  await received.getByRole('button', { name: 'Accept the invitation to Handbook' }).click();
  await new WorkspacePage(other).row('Documents', 'refunds.txt').waitFor();
  await tab.reload();
  await page.row('Members', READER.email).waitFor();
  expect(await tab.getByRole('region', { name: 'Pending invitations' }).count()).toBe(0);
  for (const name of ['Rename', 'Delete', 'Choose files to upload', 'Delete the document refunds.txt'])
    expect(await other.getByRole('button', { name, exact: true }).count()).toBe(0);
  await new WorkspacePage(other).open('Members');
  await other.getByRole('button', { name: 'Leave workspace' }).waitFor();
  expect(await other.getByRole('button', { name: /^(Remove|Invite a member)/ }).count()).toBe(0);
  await other.context().close();
});

ifThere('keeps the last admin, and deletes the workspace', async () => {
  await tab.getByRole('button', { name: 'Leave workspace' }).click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Leave workspace' }).click();
  await dialog.getByText('A workspace needs at least one admin.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await tab.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.confirmDelete();
  await tab.getByRole('heading', { name: 'No workspaces yet' }).waitFor();
});

ifThere('searches and sorts the workspaces, which have pages, and cuts long names', async () => {
  const long = `Zebras ${'and other animals '.repeat(5)}`.trim();
  await database.pool.query(
    `WITH made AS (
       INSERT INTO memo.workspaces (id, name, created_by)
       SELECT 'ws_page' || n, CASE n WHEN 26 THEN $2 ELSE 'Team ' || n END, id
       FROM accounts.accounts, generate_series(1, 26) AS n WHERE email = $1 RETURNING id, created_by)
     INSERT INTO memo.members (workspace_id, account_id, role, shows_email) SELECT id, created_by, 'admin', true FROM made`,
    [PERSON.email, long],
  );
  await tab.goto('/workspaces');
  const rows = tab.getByRole('table', { name: 'Workspaces' }).getByRole('row');
  const names = async () => (await rows.getByRole('link').allInnerTexts()).map((name) => name.trim());
  await rows.nth(1).waitFor();
  await selectOrder('By name');
  expect((await names()).slice(0, 3)).toEqual(['Team 1', 'Team 2', 'Team 3']);
  expect(await names()).toHaveLength(25);
  await tab.getByRole('button', { name: 'Page 2', exact: true }).click();
  expect(await names()).toHaveLength(1);
  const cell = await rows.nth(1).getByRole('link', { name: long }).boundingBox();
  expect(cell!.width).toBeLessThan(400);
  await tab.getByRole('searchbox', { name: 'Search' }).fill('TEAM 1');
  await rows.nth(12).waitFor();
  await rows.nth(13).waitFor({ state: 'detached' });
  // The search is in the address, so that it is there after the way back.
  await rows.getByRole('link', { name: 'Team 11' }).click();
  await tab.goBack();
  await rows.nth(12).waitFor();
  expect(await tab.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('TEAM 1');
  await tab.getByRole('searchbox', { name: 'Search' }).fill('nothing of this name');
  await tab.getByRole('heading', { name: 'No workspace matches' }).waitFor();
  await tab.getByRole('button', { name: 'Show all workspaces' }).click();
  await rows.nth(25).waitFor();
});

ifThere('searches and sorts the keys of a workspace, and cuts long names', async () => {
  const long = `for-${'x'.repeat(90)}-end`;
  await database.pool.query(
    `INSERT INTO memo.keys (id, workspace_id, account_id, name, prefix, key_hash, role, created_at)
     SELECT 'wk_page' || n, 'ws_page26', id, CASE n WHEN 26 THEN $2 ELSE 'Program ' || n END, 'sk_page' || n,
       sha256(n::text::bytea), 'viewer', now() - n * interval '1 minute'
     FROM accounts.accounts, generate_series(1, 26) AS n WHERE email = $1`,
    [PERSON.email, long],
  );
  await tab.goto('/workspaces/ws_page26/keys?sort=name');
  const rows = tab.getByRole('table', { name: 'Keys' }).getByRole('row');
  await rows.nth(25).waitFor();
  expect(await rows.nth(1).getByText(long).count()).toBe(1);
  expect(await tab.getByRole('button', { name: `Delete the key ${long}` }).isVisible()).toBe(true);
  await tab.getByRole('searchbox', { name: 'Search' }).fill('program 2');
  await rows.nth(8).waitFor();
  await rows.nth(9).waitFor({ state: 'detached' });
  expect(new URL(tab.url()).searchParams.get('q')).toBe('program 2');
  await selectOrder('Newest first');
  await rows.nth(1).getByText('Program 2', { exact: true }).waitFor();
});

async function selectOrder(order: string): Promise<void> {
  await tab.getByRole('combobox', { name: 'Order' }).click();
  await tab.getByRole('option', { name: order }).click();
}

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
