import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rememberSecret, waitFor } from '@inference/testing';
import { Secret, TOTP } from 'otpauth';
import { type Browser, type Locator, type Page } from 'playwright-core';
import { type Run, SiteRuns } from '../../deployment/site-runs';
import { launchChromium } from '../../site/chromium';
import { findProgram } from '../../site/nginx';
import { collectFaults } from '../browser-faults';

/** The way of somebody new from `npm start` to a paid call, by clicks and by keyboard, in Chromium. */

const PASSWORD = 'a password of this test';
/** What the way may cost at most; it is printed. */
const MOST_CLICKS = 12;

const chrome = findProgram('chromium');
const ifThere = chrome ? it : it.skip;

let runs: SiteRuns;
let run: Run;
let browser: Browser | undefined;

beforeAll(async () => {
  runs = new SiteRuns();
  if (!chrome) return;
  rememberSecret(PASSWORD);
  run = await runs.newRun({ ENGINE_TOKENS_PER_SECOND: '0' });
  await run.start();
  browser = await launchChromium(chrome);
});
afterAll(async () => {
  await browser?.close();
  await runs.cleanUp();
});

async function newTab(): Promise<{ tab: Page; faults: string[] }> {
  const { urls, sandbox } = run.platform;
  const context = await browser!.newContext({ baseURL: urls.console!, locale: 'en-US' });
  const tab = await context.newPage();
  const origins = [urls.console!, sandbox.payments!].map((url) => new URL(url).origin);
  return { tab, faults: collectFaults(tab, origins) };
}

ifThere('somebody new gets to a paid call with few clicks', async () => {
  const { tab, faults } = await newTab();
  const startedAt = Date.now();
  let clicks = 0;
  const click = async (target: Locator) => {
    clicks += 1;
    await target.first().click();
  };
  const button = (name: string) => tab.getByRole('button', { name, exact: true });
  const link = (name: string) => tab.getByRole('main').getByRole('link', { name, exact: true });
  await tab.goto('/');
  await click(link('Create an account'));
  await tab.getByRole('textbox', { name: 'E-mail address' }).fill('new@example.com');
  await tab.getByLabel('Password').first().fill(PASSWORD);
  await click(button('Create the account'));
  await click(link('Top up'));
  await click(tab.getByRole('button', { name: /^Pay \$/ }));
  await click(tab.getByRole('button', { name: 'Pay', exact: true }));
  await click(tab.getByRole('link', { name: 'Back to the merchant', exact: true }));
  await tab.getByText('Payment received').waitFor();
  await click(tab.getByRole('navigation').getByRole('link', { name: 'Playground', exact: true }));
  await tab.getByRole('textbox', { name: 'Your message' }).fill('Hello');
  await click(button('Send'));
  await tab.getByText(/^Cost/).locator('data').waitFor();
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  process.stdout.write(`From the start page to the first paid call: ${clicks} clicks, ${seconds} s\n`);
  expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);
  expect(faults).toEqual([]);
  await tab.context().close();
});

/** A person with a keyboard only. */
class Keyboard {
  constructor(private readonly tab: Page) {}

  /** Presses Tab until the target has the focus, which has to be visible at every step. */
  async tabTo(target: Locator): Promise<void> {
    // Before it is there, all presses would land on nothing.
    await target.waitFor({ state: 'attached' });
    for (let presses = 0; presses < MOST_TABS; presses += 1) {
      if ((await target.and(this.tab.locator(':focus')).count()) > 0) return;
      await this.tab.keyboard.press('Tab');
      if (!(await this.tab.evaluate<boolean>(IS_FOCUS_VISIBLE)))
        throw new Error(`The focus is not visible: ${await this.tab.evaluate<string>(FOCUSED)}`);
    }
    throw new Error(`${String(target)} is not reached by Tab`);
  }

  async typeInto(target: Locator, text: string): Promise<void> {
    await this.tabTo(target);
    await this.tab.keyboard.type(text);
  }

  async press(target: Locator, key = 'Enter'): Promise<void> {
    await this.tabTo(target);
    await this.tab.keyboard.press(key);
  }
}

/** The token of the mail that asks for the confirmation of an address. */
const confirmationTokenOf = (email: string): Promise<string> =>
  waitFor(() => {
    const folder = run.platform.sandbox.mail!;
    const names = readdirSync(folder).filter(
      (name) => name.endsWith('.eml') && name.includes('-verify_email-'),
    );
    const mail = names
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .find((text) => text.includes(email));
    const token = mail && /\bvrf_[0-9A-Za-z]{43}\b/.exec(mail)?.[0];
    if (token) rememberSecret(token);
    return token ?? null;
  });

const MOST_TABS = 60;
const FOCUSED = 'document.activeElement.outerHTML.slice(0, 200)';
/** A field shows the focus by its border, the rest by an outline; a field of choices on its label. */
const IS_FOCUS_VISIBLE = `(() => {
  const element = document.activeElement;
  if (element === document.body) return true;
  const shows = (one) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(one);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
  };
  const isField = element.matches('input:not([type=checkbox]):not([type=radio]), textarea');
  return isField || [element, element.nextElementSibling, element.parentElement].some((one) => one && shows(one));
})()`;

ifThere('a sign-in with a second factor, a top-up and a key need no mouse', async () => {
  const { tab, faults } = await newTab();
  const keyboard = new Keyboard(tab);
  const button = (name: string) => tab.getByRole('button', { name, exact: true });
  const field = (name: string | RegExp) => tab.getByRole('textbox', { name });
  const email = 'keyboard@example.com';

  await tab.goto('/register');
  await keyboard.typeInto(field('E-mail address'), email);
  await keyboard.typeInto(tab.getByLabel('Password').first(), PASSWORD);
  await keyboard.press(button('Create the account'));
  await tab.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();

  await tab.goto(`/verify-email#token=${await confirmationTokenOf(email)}`);
  await keyboard.press(button('Confirm the address'));
  await tab.getByText('Your address is confirmed').waitFor();
  await tab.goto('/settings/security');
  await button('Turn on the second factor').waitFor();
  await keyboard.press(button('Turn on the second factor'));
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
  const secret = (await dialog.locator('code').first().innerText()).replace(/\s/g, '');
  rememberSecret(secret);
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  await keyboard.typeInto(dialog.getByRole('textbox', { name: 'Code' }), totp.generate());
  const confirmation = dialog.getByLabel('Password').first();
  if (await confirmation.isVisible()) await keyboard.typeInto(confirmation, PASSWORD);
  await keyboard.press(button('Turn on'));
  await tab.getByRole('checkbox').waitFor();
  await keyboard.press(tab.getByRole('checkbox'), 'Space');
  await keyboard.press(dialog.getByRole('button').last());
  await dialog.waitFor({ state: 'detached' });

  await keyboard.press(button('Account'));
  // A menu is in sight before it has the focus, which it takes twice.
  await tab.locator('[role=menu]:focus-within').waitFor();
  const signOut = tab.getByRole('menuitem', { name: 'Sign out' });
  await waitFor(async () => {
    await tab.keyboard.press('ArrowUp');
    return (await signOut.and(tab.locator(':focus')).count()) > 0;
  });
  await tab.keyboard.press('Enter');
  await keyboard.typeInto(field(/^E-mail address, phone number/), email);
  await keyboard.typeInto(tab.getByLabel('Password').first(), PASSWORD);
  await tab.keyboard.press('Enter');
  await field(/code/i).waitFor();
  // A code is good once.
  const next = totp.generate({ timestamp: Date.now() + 30_000 });
  await keyboard.typeInto(field(/code/i), next);
  await tab.keyboard.press('Enter');
  await button('Account').waitFor();

  await tab.goto('/keys');
  await button('Create a key').first().waitFor();
  await keyboard.press(button('Create a key'));
  await keyboard.typeInto(dialog.getByRole('textbox', { name: 'Name' }), 'by keyboard');
  await keyboard.press(button('Create the key'));
  await dialog.getByLabel('Secret of the key').waitFor();
  rememberSecret((await dialog.getByLabel('Secret of the key').innerText()).trim());
  await keyboard.press(tab.getByRole('checkbox', { name: 'I have saved the secret' }), 'Space');
  await keyboard.press(dialog.getByRole('button', { name: 'Close', exact: true }));
  await tab.getByRole('row', { name: 'by keyboard' }).waitFor();

  await tab.goto('/top-up');
  const pay = tab.getByRole('button', { name: /^Pay \$/ });
  await pay.waitFor();
  const presets = tab.getByRole('group', { name: 'Suggested amounts' }).getByRole('radio');
  await keyboard.tabTo(presets.and(tab.locator(':checked')));
  await tab.keyboard.press('ArrowRight');
  await keyboard.press(pay);
  await tab.waitForURL((url) => url.origin === new URL(run.platform.sandbox.payments!).origin);
  expect(faults).toEqual([]);
  await tab.context().close();
});
