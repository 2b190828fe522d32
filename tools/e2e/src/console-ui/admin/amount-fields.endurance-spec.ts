import { join } from 'node:path';
import { SandboxPayments } from '@inference/sandbox-payments';
import { createTestDatabase, publishPrices, type TestDatabase, waitFor } from '@inference/testing';
import { type Browser, type Locator, type Page } from 'playwright-core';
import { launchChromium } from '../../site/chromium';
import { consoleBody } from '../../site/console-client';
import { createAdmin } from '../../site/create-admin';
import { findProgram } from '../../site/nginx';
import { ROOT } from '../../site/service-process';
import { Site } from '../../site/site';
import { collectFaults } from '../browser-faults';
import { signInInAnyLanguage } from '../console-pages';

/** No field takes an amount or a date whose meaning depends on the country, in either language, in Chromium. */

const ADMIN = { email: 'root@example.com', password: 'a password of this test' };
const CUSTOMER = { email: 'ann@example.com', password: 'another password of this test' };
const LANGUAGES = ['en-US', 'zh-CN'] as const;
type Language = (typeof LANGUAGES)[number];
type Text = Record<Language, string>;

interface Field {
  path: () => string;
  /** The part of the page with the field. */
  part?: Text;
  /** The button that opens the dialog with the field. */
  opens?: Text;
  label: Text;
  submits: Text;
  /** What has to be filled in besides. */
  besides?: Text;
  refused: string[];
  accepted: string;
  /** What the button says about the accepted amount. */
  named?: Text;
}

const FIELDS: Record<string, Field> = {
  'an adjustment': {
    path: () => `/admin/accounts/${customerId}`,
    opens: { 'en-US': 'Adjust balance', 'zh-CN': '调整余额' },
    label: { 'en-US': 'Amount', 'zh-CN': '金额' },
    besides: { 'en-US': 'Reason', 'zh-CN': '原因' },
    submits: { 'en-US': 'Adjust balance', 'zh-CN': '调整余额' },
    refused: ['-1,50', '10,50', '1,050', '1.050', '1.050,00'],
    accepted: '-10.5',
    named: { 'en-US': 'Deduct ¥10.50', 'zh-CN': '扣减 ¥10.50' },
  },
  'a refund': {
    path: () => `/admin/payments/${paymentId}`,
    opens: { 'en-US': 'Refund', 'zh-CN': '退款' },
    label: { 'en-US': 'Amount', 'zh-CN': '金额' },
    submits: { 'en-US': 'Refund', 'zh-CN': '退款' },
    refused: ['10,50', '1,050', '1.050', '1.050,00'],
    accepted: '10.5',
    named: { 'en-US': 'Refund ¥10.50', 'zh-CN': '确认退款 ¥10.50' },
  },
  'the balance of a notice': {
    path: () => '/settings',
    label: { 'en-US': 'Notify me below', 'zh-CN': '余额低于此金额时提醒' },
    submits: { 'en-US': 'Save', 'zh-CN': '保存' },
    refused: ['10,50', '1,050', '1.050,00'],
    accepted: '10.5',
  },
  'the limit of a key': {
    path: () => '/keys',
    opens: { 'en-US': 'Create a key', 'zh-CN': '创建密钥' },
    label: { 'en-US': 'Limit', 'zh-CN': '限额' },
    submits: { 'en-US': 'Create the key', 'zh-CN': '创建密钥' },
    refused: ['10,50', '1,050', '1.050,00'],
    accepted: '10.5',
  },
  'requests a minute of a key': {
    path: () => '/keys',
    opens: { 'en-US': 'Create a key', 'zh-CN': '创建密钥' },
    label: { 'en-US': 'Requests a minute', 'zh-CN': '每分钟请求数' },
    submits: { 'en-US': 'Create the key', 'zh-CN': '创建密钥' },
    refused: ['10,50', '1,050', '1.050'],
    accepted: '1050',
  },
  'limits of an account': {
    path: () => `/admin/accounts/${customerId}`,
    part: { 'en-US': 'Limits', 'zh-CN': '速率限制' },
    opens: { 'en-US': 'Set limits', 'zh-CN': '设置限制' },
    label: { 'en-US': 'Requests a minute', 'zh-CN': '每分钟请求数' },
    submits: { 'en-US': 'Set limits', 'zh-CN': '设置限制' },
    refused: ['10,50', '1,050', '1.050'],
    accepted: '1050',
  },
  'a price': {
    path: () => '/admin/pricing',
    label: { 'en-US': 'Price', 'zh-CN': '价格' },
    submits: { 'en-US': 'Add', 'zh-CN': '添加' },
    refused: ['10,50', '1,050', '1.050,00'],
    accepted: '10.5',
  },
  'a change of prices': {
    path: () => '/admin/pricing',
    label: { 'en-US': 'Change in percent', 'zh-CN': '变动百分比' },
    submits: { 'en-US': 'Change 1 price', 'zh-CN': '修改 1 个价格' },
    refused: ['10,50', '-2,5'],
    accepted: '-2.5',
  },
  'an exchange rate': {
    path: () => '/admin/exchange-rates',
    opens: { 'en-US': 'Set a rate', 'zh-CN': '设置汇率' },
    label: { 'en-US': 'USD per CNY', 'zh-CN': '1 元人民币兑美元' },
    submits: { 'en-US': 'Review', 'zh-CN': '查看变化' },
    refused: ['0,1385', '1.385,00'],
    accepted: '0.1385',
  },
};

interface Moment extends Pick<Field, 'path' | 'part' | 'label' | 'submits'> {
  opens: Text;
  /** What has to be filled in besides, by its label. */
  besides: Text[];
  /** The column that keeps it. */
  kept: `${string}.${string}.${string}`;
}

/** Forms with a day and a time. */
const MOMENTS: Record<string, Moment> = {
  'the beginning of an announcement': {
    path: () => '/admin/announcements',
    opens: { 'en-US': 'New announcement', 'zh-CN': '新建公告' },
    label: { 'en-US': 'Show from', 'zh-CN': '开始显示时间' },
    besides: [
      { 'en-US': 'Title in English', 'zh-CN': '英文标题' },
      { 'en-US': 'Text in English', 'zh-CN': '英文正文' },
      { 'en-US': 'Title in Chinese', 'zh-CN': '中文标题' },
      { 'en-US': 'Text in Chinese', 'zh-CN': '中文正文' },
    ],
    submits: { 'en-US': 'Publish', 'zh-CN': '发布' },
    kept: 'accounts.announcements.starts_at',
  },
  'the end of limits': {
    path: () => `/admin/accounts/${customerId}`,
    part: { 'en-US': 'Limits', 'zh-CN': '速率限制' },
    opens: { 'en-US': 'Set limits', 'zh-CN': '设置限制' },
    label: { 'en-US': 'Ends', 'zh-CN': '结束时间' },
    besides: [{ 'en-US': 'Reason', 'zh-CN': '原因' }],
    submits: { 'en-US': 'Set limits', 'zh-CN': '设置限制' },
    kept: 'limits.overrides.ends_at',
  },
  'the end of a key': {
    path: () => '/keys',
    opens: { 'en-US': 'Create a key', 'zh-CN': '创建密钥' },
    label: { 'en-US': 'Expires', 'zh-CN': '到期时间' },
    besides: [{ 'en-US': 'Name', 'zh-CN': '名称' }],
    submits: { 'en-US': 'Create the key', 'zh-CN': '创建密钥' },
    kept: 'accounts.api_keys.expires_at',
  },
};
/** Of the year after this one, so that they are in the future. */
const YEAR = new Date().getUTCFullYear() + 1;
const DAYS = {
  'en-US': {
    refused: [`03/08/${YEAR}`, `${YEAR}-02-30`, `${YEAR}年3月`, 'tomorrow'],
    told: 'Enter the date as Mar 8, 2026.',
    accepted: [`Mar 8, ${YEAR}`, `8 march ${YEAR}`],
    shown: `Mar 8, ${YEAR}`,
  },
  'zh-CN': {
    refused: [`03/08/${YEAR}`, `${YEAR}-02-30`, `Mar 8, ${YEAR}`, '明天'],
    told: '请按 2026-03-08 的格式输入日期。',
    accepted: [`${YEAR}年3月8日`, `${YEAR}/3/8`],
    shown: `${YEAR}-03-08`,
  },
};
const TIMES = {
  refused: ['24:00', '9:60', '9.30', '930'],
  told: { 'en-US': 'Enter the time as 09:30.', 'zh-CN': '请按 09:30 的格式输入时间。' },
  suffix: { 'en-US': ': time', 'zh-CN': '：时间' },
};

const chrome = findProgram('chromium');
const ifThere = chrome ? describe : describe.skip;

let database: TestDatabase;
let sandbox: SandboxPayments;
let site: Site;
let consoleUrl: string;
let customerId: string;
let paymentId: string;
let browser: Browser | undefined;

beforeAll(async () => {
  database = await createTestDatabase();
  await publishPrices(database.pool, [{ slug: 'chat', unit: 'per_million_tokens', ratePicos: 150_000n }]);
  sandbox = await SandboxPayments.start({ site: 'cn' });
  site = new Site(database, { site: 'cn' });
  ({ url: consoleUrl } = await site.startConsole({
    ...sandbox.consoleEnvironment(),
    CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
  }));
  await sandbox.deliverTo(consoleUrl);
  await createAdmin(database.urlFor('console'), 'cn', ADMIN);
  const { token, user } = await consoleBody<{ token: string; user: { id: string } }>(
    consoleUrl,
    'POST',
    '/api/auth/register',
    { json: CUSTOMER, status: 201 },
  );
  customerId = user.id;
  const json = { provider: 'wallet_pay_provider', amount: 50 };
  const ordered = { token, json, status: 201 };
  ({ id: paymentId } = await consoleBody<{ id: string }>(
    consoleUrl,
    'POST',
    '/api/billing/payments',
    ordered,
  ));
  await sandbox.act(paymentId, 'pay');
  await waitFor(async () => {
    const path = `/api/billing/payments/${paymentId}`;
    return (await consoleBody<{ status: string }>(consoleUrl, 'GET', path, { token })).status === 'paid';
  });
  if (chrome) browser = await launchChromium(chrome);
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await sandbox?.stop();
  await database?.drop();
});

ifThere.each(LANGUAGES)('in %s', (language) => {
  let tab: Page;
  let faults: string[];

  beforeAll(async () => {
    const context = await browser!.newContext({ baseURL: consoleUrl, locale: language, timezoneId: 'UTC' });
    tab = await context.newPage();
    faults = collectFaults(tab, [new URL(consoleUrl).origin]);
    await signInInAnyLanguage(tab, ADMIN);
  });
  afterAll(() => tab.context().close());
  afterEach(() => expect(faults).toEqual([]));

  /** What is written at the field about its text. */
  const faultOf = async (field: Locator): Promise<string> => {
    const described = (await field.getAttribute('aria-describedby')) ?? '';
    const ids = described.split(' ').filter((id) => id.endsWith('-error'));
    return ids.length === 0 ? '' : tab.locator(`[id="${ids[0]}"]`).innerText();
  };

  it.each(Object.keys(FIELDS))(
    '%s is refused with a comma, with an example, and taken with a point',
    async (name) => {
      const { path, part, opens, label, submits, besides, refused, accepted, named } = FIELDS[name]!;
      await tab.goto(path());
      if (part) await tab.getByRole('tab', { name: part[language], exact: true }).click();
      if (opens)
        await tab
          .getByRole('main')
          .getByRole('button', { name: opens[language], exact: true })
          .first()
          .click();
      const form = opens ? tab.getByRole('dialog') : tab.getByRole('main');
      const field = form.getByRole('textbox', { name: label[language], exact: true });
      const submit = form.getByRole('button', { name: submits[language], exact: true });
      if (besides) await form.getByRole('textbox', { name: besides[language], exact: true }).fill('A test');
      for (const box of await form.getByRole('checkbox').all()) await box.check();
      for (const text of refused) {
        await field.fill(text);
        await submit.click();
        await field.and(tab.locator('[aria-invalid=true]')).waitFor();
        expect([text, await faultOf(field)]).toEqual([text, expect.stringMatching(/\d(\.\d+)?/)]);
      }
      await field.fill(accepted);
      if (named) await form.getByRole('button', { name: named[language], exact: true }).waitFor();
      else await submit.waitFor();
      expect(await faultOf(field)).toBe('');
    },
  );

  it.each(Object.keys(MOMENTS))(
    '%s is sent as it was typed, and not at all while a date or a time cannot be read',
    async (name) => {
      const { path, part, opens, label, besides, submits, kept } = MOMENTS[name]!;
      const { refused, told, accepted, shown } = DAYS[language];
      await tab.goto(path());
      if (part) await tab.getByRole('tab', { name: part[language], exact: true }).click();
      await tab.getByRole('button', { name: opens[language], exact: true }).first().click();
      const form = tab.getByRole('dialog');
      const field = (text: string) => form.getByRole('textbox', { name: text, exact: true });
      for (const texts of besides) await field(texts[language]).fill('A test');
      const [day, time] = [field(label[language]), field(label[language] + TIMES.suffix[language])];
      const submit = form.getByRole('button', { name: submits[language], exact: true });
      const sent: string[] = [];
      // The browser does not tell what it sends.
      tab.on('request', (request) => {
        if (request.method() !== 'GET') sent.push(request.url());
      });
      /** What is told at a field of which a text was tried. */
      const tried = async (tested: Locator, text: string, send: () => Promise<void>) => {
        await tested.fill(text);
        await send();
        await tested.and(tab.locator('[aria-invalid=true]')).waitFor();
        return [text, await faultOf(tested)];
      };
      const byEnter = () => tab.keyboard.press('Enter');
      for (const text of refused)
        for (const send of [byEnter, () => submit.click()])
          expect(await tried(day, text, send)).toEqual([text, told]);
      for (const text of accepted) {
        await day.fill(text);
        await tab.keyboard.press('Tab');
        expect([text, await day.inputValue(), await faultOf(day)]).toEqual([text, shown, '']);
      }
      for (const text of TIMES.refused)
        for (const send of [byEnter, () => submit.click()])
          expect(await tried(time, text, send)).toEqual([text, TIMES.told[language]]);
      await time.fill('９：３０');
      await tab.keyboard.press('Tab');
      expect([await time.inputValue(), await faultOf(time), sent]).toEqual(['09:30', '', []]);
      await submit.click();
      await submit.waitFor({ state: 'detached' });
      expect(sent).toHaveLength(1);
      const [schema, table, column] = kept.split('.');
      const { rows } = await database.pool.query(`SELECT max(${column}) AS at FROM ${schema}.${table}`);
      expect(rows).toEqual([{ at: new Date(`${YEAR}-03-08T09:30:00Z`) }]);
    },
  );
});
