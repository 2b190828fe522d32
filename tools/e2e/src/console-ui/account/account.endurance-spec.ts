import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@inference/testing';
import { type Browser, type Page } from 'playwright-core';
import { launchChromium } from '../../site/chromium';
import { findProgram } from '../../site/nginx';
import { ROOT } from '../../site/service-process';
import { Site } from '../../site/site';
import { openArea } from '../billing-pages';
import { collectFaults } from '../browser-faults';
import { RegisterPage, SignInPage } from '../console-pages';
import { type Authenticator, SecurityPage, signOut } from './account-pages';

/** The settings of an account in Chromium, against a real console. */

const PERSON = { email: 'ann@example.com', password: 'a password of this test' };

const chrome = findProgram('chromium');
const ifThere = chrome ? it : it.skip;

let database: TestDatabase;
let site: Site;
let browser: Browser | undefined;
let tab: Page;
let faults: string[];
let app: Authenticator;
let recoveryCodes: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  site = new Site(database);
  const { url } = await site.startConsole({ CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui') });
  if (!chrome) return;
  browser = await launchChromium(chrome);
  const context = await browser.newContext({ baseURL: url, locale: 'en-US', timezoneId: 'UTC' });
  tab = await context.newPage();
  faults = collectFaults(tab, [new URL(url).origin]);
  await tab.goto('/register');
  await new RegisterPage(tab).register(PERSON);
  await tab.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await database?.drop();
});
afterEach(() => {
  if (chrome) expect(faults).toEqual([]);
});

ifThere('asks on the overview for the confirmation of the address until it is done', async () => {
  await openArea(tab, 'Overview');
  await tab.getByText(`Open the link that we have sent to ${PERSON.email}.`).waitFor();
  const mails = async () =>
    (await database.pool.query("SELECT FROM accounts.mail_outbox WHERE kind = 'verify_email'")).rows.length;
  const before = await mails();
  await tab.getByRole('button', { name: 'Send again' }).click();
  await tab.getByText('Sent. If you do not find it').waitFor();
  expect(await mails()).toBe(before + 1);
  const confirmed = 'UPDATE accounts.accounts SET email_verified_at = $1';
  await database.pool.query(confirmed, [new Date()]);
  await tab.reload();
  await tab.getByRole('heading', { name: 'Balance' }).waitFor();
  await openArea(tab, 'Settings');
  await tab.getByText('Confirmed', { exact: true }).waitFor();
  await openArea(tab, 'Overview');
  await tab.getByRole('heading', { name: 'Balance' }).waitFor();
  expect(await tab.getByText('Confirm your e-mail address').count()).toBe(0);
  await database.pool.query(confirmed, [null]);
  await tab.reload();
});

ifThere('keeps the language of mails, apart from that of the pages', async () => {
  await openArea(tab, 'Settings');
  await tab.getByRole('combobox', { name: 'Language of mails and receipts' }).click();
  await tab.getByRole('option', { name: '简体中文' }).click();
  await tab.getByText('Saved.').waitFor();
  const { rows } = await database.pool.query('SELECT language FROM accounts.accounts');
  expect(rows).toEqual([{ language: 'zh-CN' }]);
  await tab.reload();
  const field = tab.getByRole('combobox', { name: 'Language of mails and receipts' });
  await field.waitFor();
  expect(await field.inputValue()).toBe('简体中文');
});

ifThere('stores what models are asked only once the account wants it, until it does not', async () => {
  const isStored = async () =>
    (
      await database.pool.query<{ stored: boolean }>(
        'SELECT stores_responses AS stored FROM accounts.accounts',
      )
    ).rows[0]!.stored;
  const storage = tab.getByRole('switch', { name: 'Store responses for 30 days' });
  const saved = async (isOn: boolean) => {
    await tab.getByText('Saved.').waitFor();
    expect(await isStored()).toBe(isOn);
    await tab.reload();
    await storage.waitFor();
    expect(await storage.isChecked()).toBe(isOn);
  };
  expect(await storage.isChecked()).toBe(false);
  await storage.check();
  await saved(true);
  // A change that did not succeed is not shown as one.
  await tab.route('**/api/auth/me', (route) => route.abort(), { times: 1 });
  await storage.click();
  await tab.getByRole('alert').filter({ hasText: 'The service cannot be reached' }).waitFor();
  expect(await storage.isChecked()).toBe(true);
  await storage.uncheck();
  await saved(false);
});

ifThere('keeps an exact threshold for the mail about a low balance, and turns it off', async () => {
  const threshold = async () =>
    (
      await database.pool.query<{ picos: string }>(
        'SELECT low_balance_threshold_picos::text AS picos FROM wallet.wallets',
      )
    ).rows[0]!.picos;
  const field = tab.getByRole('textbox', { name: 'Notify me below' });
  const save = tab.getByRole('button', { name: 'Save' });
  expect(await field.inputValue()).toBe('5');
  await field.fill('-1');
  await save.click();
  await tab.getByText('Enter an amount above zero.').waitFor();
  await field.fill('1234567.123456789012');
  await save.click();
  await tab.getByText('Saved.').waitFor();
  expect(await threshold()).toBe('1234567123456789012');
  await tab.reload();
  await field.waitFor();
  expect(await field.inputValue()).toBe('1234567.123456789012');
  await tab.getByRole('switch', { name: 'Notify me by e-mail' }).uncheck();
  await save.click();
  await tab.getByText('Saved.').waitFor();
  expect(await threshold()).toBe('0');
});

ifThere(
  'turns the second factor on after a wrong and a right code, and shows recovery codes once',
  async () => {
    await tab.getByRole('link', { name: 'Security', exact: true }).click();
    await tab.getByText('Confirm your e-mail address first.').waitFor();
    expect(await tab.getByRole('button', { name: 'Turn on the second factor' }).isDisabled()).toBe(true);
    await database.pool.query('UPDATE accounts.accounts SET email_verified_at = now()');
    await tab.reload();
    const page = new SecurityPage(tab);
    app = await page.beginSetup();
    await page.enterSetupCode(app.wrongCode());
    await page.dialog.getByText('This code is wrong or has expired.').waitFor();
    await page.enterSetupCode(app.code());
    const { codes, file } = await page.keepRecoveryCodes();
    expect(codes).toHaveLength(10);
    expect(file.trim().split('\n')).toEqual(codes);
    recoveryCodes = codes;
    await tab.getByText('On', { exact: true }).waitFor();
    const kept = await tab.evaluate(
      `document.documentElement.outerHTML + JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage })`,
    );
    for (const code of codes) expect(kept).not.toContain(code);
  },
);

ifThere('signs in with a code of the app, and refuses a wrong one', async () => {
  await signOut(tab);
  await new SignInPage(tab).signIn(PERSON);
  const code = tab.getByRole('textbox', { name: 'Code of the authenticator' });
  await code.fill(app.wrongCode());
  await tab.getByRole('button', { name: 'Verify' }).click();
  await tab.getByText('The code is wrong or already used').waitFor();
  // The present code may be the one that turned the factor on, and each works once.
  await code.fill(app.code(1));
  await tab.getByRole('button', { name: 'Verify' }).click();
  await tab.getByRole('button', { name: 'Account', exact: true }).waitFor();
});

ifThere('signs in with a recovery code', async () => {
  await signOut(tab);
  await new SignInPage(tab).signIn(PERSON);
  await tab.getByRole('button', { name: 'Use a recovery code' }).click();
  await tab.getByRole('textbox', { name: 'Recovery code' }).fill(recoveryCodes[0]!);
  await tab.getByRole('button', { name: 'Verify' }).click();
  await tab.getByRole('button', { name: 'Account', exact: true }).waitFor();
});

ifThere('turns the second factor off with an unused recovery code only', async () => {
  await openArea(tab, 'Settings');
  await tab.getByRole('link', { name: 'Security', exact: true }).click();
  const page = new SecurityPage(tab);
  await page.disable(PERSON.password, recoveryCodes[0]!);
  await page.dialog.getByText('The password or the code is wrong, or the code has been used.').waitFor();
  await page.dialog.getByLabel('Your password').fill(PERSON.password);
  await page.dialog.getByRole('textbox', { name: 'Code' }).fill(recoveryCodes[1]!);
  await page.dialog.getByRole('button', { name: 'Confirm' }).click();
  await tab.getByRole('button', { name: 'Turn on the second factor' }).waitFor();
});

ifThere('changes the password', async () => {
  const changed = { ...PERSON, password: 'another password of this test' };
  await tab.getByLabel('Current password').fill('not the password');
  await tab.getByLabel('New password').fill(changed.password);
  await tab.getByRole('button', { name: 'Change the password' }).click();
  await tab.getByText('Wrong password.').waitFor();
  await tab.getByLabel('Current password').fill(PERSON.password);
  await tab.getByRole('button', { name: 'Change the password' }).click();
  await tab.getByText('Password changed.').waitFor();
  await signOut(tab);
  await new SignInPage(tab).signIn(changed);
  await tab.getByRole('button', { name: 'Account', exact: true }).waitFor();
});
