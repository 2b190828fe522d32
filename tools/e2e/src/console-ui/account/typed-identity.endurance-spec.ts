import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@inference/testing';
import { type Browser, type Page } from 'playwright-core';
import { launchChromium } from '../../site/chromium';
import { findProgram } from '../../site/nginx';
import { ROOT } from '../../site/service-process';
import { Site } from '../../site/site';
import { collectFaults } from '../browser-faults';
import { RegisterPage, SignInPage } from '../console-pages';
import { SecurityPage, signOut } from './account-pages';

/** Addresses, numbers and codes as people type and paste them, the footer and the dates of a site in China, in Chromium. */

const PASSWORD = 'a password of this test';
const PHONE = '+8613800138000';
/** Addresses as they are registered, as the account shows them, and as their owners type them another time. */
const ADDRESSES = [
  ['anna@bücher.example', 'anna@bücher.example', 'ANNA@BÜCHER.example'],
  ['bert@xn--bcher-kva.example', 'bert@bücher.example', 'bert@bücher.example'],
  ['王小明@例子.中国', '王小明@例子.中国', '王小明@xn--fsqu00a.xn--fiqs8s'],
  [
    "o'neil!#$%&*+-/=?^_`{|}~@example.com",
    "o'neil!#$%&*+-/=?^_`{|}~@example.com",
    "O'Neil!#$%&*+-/=?^_`{|}~@example.com",
  ],
  ['ｃａｒｌ＠ｅｘａｍｐｌｅ．ｃｏｍ', 'carl@example.com', '\u202acarl@example.com\u202c'],
] as const;
const TERMS = { url: 'https://www.example.com/terms', version: '2026-11' };
const FOOTER = {
  en: [
    ['Documentation', '/docs'],
    ['Support', 'mailto:help@example.com'],
    ['Service status', 'https://status.example.com/'],
    ['Terms of use', TERMS.url],
    ['Privacy', 'https://www.example.com/privacy'],
    ['Imprint', 'https://www.example.com/imprint'],
    ['沪ICP备00000000号', 'https://beian.miit.gov.cn/'],
  ],
  zh: [
    ['文档', '/docs'],
    ['技术支持', 'mailto:help@example.com'],
    ['服务状态', 'https://status.example.com/'],
    ['服务条款', TERMS.url],
    ['隐私政策', 'https://www.example.com/privacy'],
    ['运营主体', 'https://www.example.com/imprint'],
    ['沪ICP备00000000号', 'https://beian.miit.gov.cn/'],
  ],
};

const chrome = findProgram('chromium');
const ifThere = chrome ? it : it.skip;

let database: TestDatabase;
let site: Site;
let consoleUrl: string;
let browser: Browser | undefined;
let tab: Page;
const faults: string[][] = [];

async function newTab(locale: string): Promise<Page> {
  const context = await browser!.newContext({ baseURL: consoleUrl, locale, timezoneId: 'Asia/Shanghai' });
  const page = await context.newPage();
  faults.push(collectFaults(page, [new URL(consoleUrl).origin]));
  return page;
}

beforeAll(async () => {
  database = await createTestDatabase();
  site = new Site(database, { site: 'cn' });
  ({ url: consoleUrl } = await site.startConsole({
    CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
    TERMS_URL: TERMS.url,
    TERMS_VERSION: TERMS.version,
    PRIVACY_URL: 'https://www.example.com/privacy',
    IMPRINT_URL: 'https://www.example.com/imprint',
    STATUS_URL: 'https://status.example.com/',
    SUPPORT_CONTACT: 'help@example.com',
    ICP_NUMBER: '沪ICP备00000000号',
  }));
  if (!chrome) return;
  browser = await launchChromium(chrome);
  tab = await newTab('en-US');
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await database?.drop();
});
afterEach(() => expect(faults.flat()).toEqual([]));

/** Of somebody who is signed in, wherever the sign-in leads. */
const accountMenu = () => tab.getByRole('button', { name: 'Account', exact: true });
/** As a Chinese keyboard writes digits, within marks of the direction that a copied text may carry. */
const pasted = (digits: string) =>
  `\u202a${digits.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0))}\u202c\u200e`;

ifThere.each(ADDRESSES)('%s is registered, and signs in as it is typed', async (typed, shown, later) => {
  await tab.goto('/register');
  await tab.getByRole('checkbox', { name: 'I accept the terms of use' }).check();
  await new RegisterPage(tab).register({ email: typed, password: PASSWORD });
  await accountMenu().waitFor();
  await tab.goto('/settings');
  await tab.getByRole('main').getByText(shown).first().waitFor();
  const { rows } = await database.pool.query<{ version: string }>(
    `SELECT t.version FROM accounts.terms_acceptances t JOIN accounts.accounts a ON a.id = t.account_id WHERE a.email = $1`,
    [shown],
  );
  expect(rows).toEqual([{ version: TERMS.version }]);
  await signOut(tab);
  await new SignInPage(tab).signIn({ email: later, password: PASSWORD });
  await accountMenu().waitFor();
  await signOut(tab);
  await tab.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
});

ifThere('phone numbers and codes are taken in full-width digits and with marks of direction', async () => {
  const [email] = ADDRESSES[0];
  await database.pool.query(
    'UPDATE accounts.accounts SET phone = $2, email_verified_at = now() WHERE email = $1',
    [email, PHONE],
  );
  await tab.goto('/sign-in');
  await new SignInPage(tab).signIn({ email: pasted('138 0013 8000'), password: PASSWORD });
  await accountMenu().waitFor();
  await tab.goto('/settings/security');
  const page = new SecurityPage(tab);
  const app = await page.beginSetup();
  await page.enterSetupCode(pasted(app.code()));
  await page.keepRecoveryCodes();
  await signOut(tab);
  await new SignInPage(tab).signIn({ email: pasted(PHONE), password: PASSWORD });
  const field = tab.getByRole('textbox', { name: 'Code of the authenticator' });
  await field.fill(pasted(app.code(1)));
  await tab.getByRole('button', { name: 'Verify' }).click();
  await accountMenu().waitFor();
});

ifThere.each(['en', 'zh'] as const)(
  'the footer has what the operator has configured: %s',
  async (language) => {
    const page = await newTab(language === 'en' ? 'en-US' : 'zh-CN');
    for (const path of ['/', '/sign-in']) {
      await page.goto(path);
      const links = page.locator('footer nav').getByRole('link');
      await links.last().waitFor();
      expect(
        await links.evaluateAll((all) => all.map((link) => [link.textContent, link.getAttribute('href')])),
      ).toEqual(FOOTER[language]);
    }
    await page.context().close();
  },
);

ifThere('times and fields for days are written as in Chinese, with the zone once', async () => {
  const { rows } = await database.pool.query<{ id: string }>(
    "SELECT id FROM accounts.accounts WHERE email = 'carl@example.com'",
  );
  await database.pool.query(
    `INSERT INTO wallet.transfers (id, kind, account_id, reference, description, created_at)
     VALUES ('seeded', 'adjustment', $1, 'seeded', 'Seeded', '2026-11-27T18:07:00Z')`,
    [rows[0]!.id],
  );
  await database.pool.query(
    `INSERT INTO wallet.entries (transfer_id, ledger_account, amount_picos)
     VALUES ('seeded', 'wallet:' || $1, 1000000000000), ('seeded', 'equity:adjustments', -1000000000000)`,
    [rows[0]!.id],
  );
  const page = await newTab('zh-CN');
  await page.goto('/sign-in?next=/transactions');
  await page.locator('input[autocomplete=username]').fill('carl@example.com');
  await page.locator('input[autocomplete=current-password]').fill(PASSWORD);
  await page.locator('button[type=submit]').click();
  await page.getByRole('table').locator('time').first().waitFor();
  expect(await page.getByRole('table').locator('time').allInnerTexts()).toEqual(['2026-11-28 02:07']);
  expect(await page.getByRole('main').getByText('Asia/Shanghai').count()).toBe(1);
  await page.goto('/usage?range=custom&from=2026-03-08&to=2026-11-28');
  const [from, to] = [page.getByLabel('开始日期'), page.getByLabel('结束日期')];
  await to.waitFor();
  expect([await from.inputValue(), await to.inputValue()]).toEqual(['2026-03-08', '2026-11-28']);
  await from.click();
  await page.getByText('2026年3月', { exact: true }).waitFor();
  await page.context().close();
});
