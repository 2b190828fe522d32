import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createTestDatabase, findFreePort, type TestDatabase } from '@inference/testing';
import { type Browser, type Page } from 'playwright-core';
import { launchChromium } from '../../site/chromium';
import { consoleBody } from '../../site/console-client';
import { createAdmin } from '../../site/create-admin';
import { findProgram } from '../../site/nginx';
import { ROOT, type ServiceProcess } from '../../site/service-process';
import { Site } from '../../site/site';
import { collectFaults } from '../browser-faults';
import { RegisterPage, SignInPage } from '../console-pages';
import { mailedToken, PackagesPage, RecoveryPages } from './public-pages';

/** The pages of visitors in Chromium, against a real console. */

const ADMIN = { email: 'admin@example.com', password: 'the password of the admin' };
const PERSON = { email: 'ann@example.com', password: 'a password of this test' };
const NEW_PASSWORD = 'another password of this test';

const CHAT = 'acme/chat';
/** Of an operator: a text, and no elements of the page. */
const PACKAGE_NAME = '</script><b>Package</b> & "1"';
const ESCAPED_NAME = '&lt;/script&gt;&lt;b&gt;Package&lt;/b&gt; &amp; &quot;1&quot;';

/** Of scripts and styles, compressed. The sign-in is the first page of many visits, on any connection. */
const MOST_SIGN_IN_BYTES = 205_000;
const MOST_LANDING_REQUESTS = 12;

const chrome = findProgram('chromium');
const ifThere = chrome ? it : it.skip;
const mails = mkdtempSync(join(tmpdir(), 'mails-'));

let database: TestDatabase;
let site: Site;
let consoleService: ServiceProcess;
let adminToken: string;
let browser: Browser | undefined;
let tab: Page;
let faults: string[];

const byAdmin = <Body = unknown>(method: string, path: string, json: unknown, status?: number) =>
  consoleBody<Body>(consoleService.url, method, path, {
    token: adminToken,
    json,
    ...(status !== undefined && { status }),
  });

async function publishModel(slug: string, name: string, content: string): Promise<void> {
  const path = `${consoleService.url}/api/admin/models/${slug}`;
  const headers = { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/octet-stream' };
  const upload = `${path}/packages/1.0?file_name=model.gguf`;
  const { status } = await fetch(upload, { method: 'PUT', headers, body: content });
  expect(status).toBe(201);
  await byAdmin('PUT', `/api/admin/models/${slug}`, { name, license: 'Apache-2.0', version: '1.0' });
}

beforeAll(async () => {
  database = await createTestDatabase();
  site = new Site(database);
  consoleService = await site.startConsole({
    CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
    MAIL_FOLDER: mails,
    STORAGE_FOLDER: join(mails, 'packages'),
    GATEWAY_CREDENTIAL: randomBytes(24).toString('hex'),
    SUPPORT_CONTACT: 'help@example.com',
    PRIVACY_URL: 'https://www.example.com/privacy',
  });
  await createAdmin(database.urlFor('console'), 'intl', ADMIN);
  const { token } = await consoleBody<{ token: string }>(consoleService.url, 'POST', '/api/auth/login', {
    json: { identifier: ADMIN.email, password: ADMIN.password },
  });
  adminToken = token;
  await byAdmin(
    'POST',
    '/api/admin/inference/models',
    { slug: CHAT, context_tokens: 131_072, input_modalities: ['text', 'image'] },
    201,
  );
  if (!chrome) return;
  browser = await launchChromium(chrome);
  const context = await browser.newContext({ baseURL: consoleService.url, locale: 'en-US' });
  tab = await context.newPage();
  faults = collectFaults(tab, [new URL(consoleService.url).origin]);
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await database?.drop();
  rmSync(mails, { recursive: true });
});
afterEach(() => {
  if (chrome) expect(faults).toEqual([]);
});

ifThere('a first visit of the sign-in loads few scripts and styles', async () => {
  const visitor = await (await browser!.newContext({ baseURL: consoleService.url })).newPage();
  const sizes: Promise<number>[] = [];
  visitor.on('response', (response) => {
    if (['script', 'stylesheet'].includes(response.request().resourceType()))
      sizes.push(response.body().then((body) => gzipSync(body).length));
  });
  await visitor.goto('/sign-in', { waitUntil: 'networkidle' });
  await visitor.getByRole('heading', { level: 1 }).waitFor();
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(sizes.length).toBeGreaterThan(1);
  expect(bytes).toBeLessThanOrEqual(MOST_SIGN_IN_BYTES);
  await visitor.context().close();
});

describe('a page with its content in the HTML', () => {
  const HTML = { accept: 'text/html' };
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(consoleService.url + path, {
      headers: { ...HTML, ...headers },
      redirect: 'manual',
    });
    return { status: answer.status, headers: answer.headers, html: await answer.text() };
  };
  const metaOf = (html: string, name: string) =>
    new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`).exec(html)?.[1];

  beforeAll(async () => {
    const price = (slug: string, unit: string, amount: number) => ({ slug, unit, price: amount });
    await byAdmin('PUT', '/api/admin/billing/pricing/models', {
      models: [
        price(CHAT, 'per_million_input_tokens', 0.123456),
        price(CHAT, 'per_million_output_tokens', 2),
        price('acme/embed', 'per_million_input_tokens', 0.02),
        price('acme/draw', 'per_image', 0.04),
      ],
    });
    await publishModel('acme/only-package', PACKAGE_NAME, 'a');
    await byAdmin('POST', '/api/admin/changelog', { title: 'First <i>news</i>', body: '**bold**' }, 201);
  });

  it.each([
    ['/', 'Call AI models', '$0.123456'],
    ['/pricing', 'Pricing', '$0.123456'],
    ['/models', 'Models', '131,072'],
    ['/models', 'Models', 'Per image'],
    [`/models/${CHAT}`, CHAT, 'Text, Images'],
    ['/packages', 'Packages', ESCAPED_NAME],
    ['/packages/acme/only-package', ESCAPED_NAME, 'Apache-2.0'],
    ['/changelog', 'Changelog', '<strong>bold</strong>'],
    ['/docs', 'Documentation', '/openapi.json'],
  ])('is %s', async (path, title, content) => {
    const { status, headers, html } = await read(path);
    expect(status).toBe(200);
    expect(/<title>([^<]*)<\/title>/.exec(html)?.[1]).toContain(title);
    expect(metaOf(html, 'og:title')).toContain(title);
    expect(metaOf(html, 'description')).toBeTruthy();
    expect(html).toContain(`<link rel="canonical" href="${consoleService.url}${path}" />`);
    const [, body = ''] = html.split('<div id="root">');
    expect(body).toContain(content);
    expect(body).toContain('mailto:help@example.com');
    expect(html).not.toContain('<b>');
    expect(html).not.toContain('<i>news');
    expect(html).not.toMatch(/ style="/);
    // Nothing but the policy decides which scripts run.
    expect(headers.get('content-security-policy')).toMatch(
      /script-src 'self'; style-src 'self' 'sha256-[^']+';/,
    );
    expect(headers.get('vary')).toMatch(/Accept-Language, Cookie/);
    const again = await fetch(consoleService.url + path, {
      headers: { ...HTML, 'if-none-match': headers.get('etag')! },
    });
    expect(again.status).toBe(304);
  });

  it('is in the chosen language, or in that of the browser, or in that of the site', async () => {
    const languageOf = async (headers: Record<string, string>) => {
      const { html, headers: answered } = await read('/', headers);
      const language = /<html lang="([^"]*)"/.exec(html)?.[1];
      expect(answered.get('content-language')).toBe(language);
      expect(html.includes('调用 AI 模型')).toBe(language === 'zh-CN');
      return language;
    };
    expect(await languageOf({})).toBe('en');
    expect(await languageOf({ 'accept-language': 'fr' })).toBe('en');
    expect(await languageOf({ 'accept-language': 'fr, zh-TW;q=0.8, en;q=0.5' })).toBe('zh-CN');
    expect(await languageOf({ 'accept-language': 'en', cookie: 'a=b; language=zh-CN' })).toBe('zh-CN');
  });

  it('shows a change of the catalogue at once', async () => {
    await byAdmin('POST', '/api/admin/changelog', { title: 'Second news', body: 'text' }, 201);
    expect((await read('/changelog')).html).toContain('Second news');
  });

  it('is 404 for what does not exist, and leads to the package of a model that cannot be called', async () => {
    for (const path of ['/models/nothing', '/packages/nothing']) expect((await read(path)).status).toBe(404);
    const moved = await read('/models/acme/only-package');
    expect([moved.status, moved.headers.get('location')]).toEqual([302, '/packages/acme/only-package']);
  });

  it('has a picture for previews of links', async () => {
    const { html } = await read('/');
    const picture = await fetch(metaOf(html, 'og:image')!);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    const bytes = Buffer.from(await picture.arrayBuffer());
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630]);
  });

  ifThere('brings announcements along while there are any', async () => {
    const announcement = {
      severity: 'warning',
      ...{ title_en: 'Maintenance tonight', body_en: 'From 22:00 to 23:00 UTC.' },
      ...{ title_zh: '今晚维护', body_zh: '22:00 至 23:00（UTC）。' },
      audience: 'all',
    };
    const { id } = await byAdmin<{ id: string }>('POST', '/api/admin/announcements', announcement, 201);
    const context = await browser!.newContext({ baseURL: consoleService.url, locale: 'en-US' });
    const page = await context.newPage();
    const found = collectFaults(page, [new URL(consoleService.url).origin]);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto('/', { waitUntil: 'networkidle' });
    await page.getByText('Maintenance tonight').waitFor();
    expect(asked.filter((path) => path.startsWith('/api/'))).toEqual([]);
    await byAdmin('POST', `/api/admin/announcements/${id}/end`, undefined);
    await page.reload({ waitUntil: 'networkidle' });
    expect(await page.getByText('Maintenance tonight').count()).toBe(0);
    expect(found).toEqual([]);
    await context.close();
  });

  ifThere('looks the same without scripts and with them, and keeps its place', async () => {
    const shots = [];
    for (const javaScriptEnabled of [false, true]) {
      const context = await browser!.newContext({
        baseURL: consoleService.url,
        locale: 'en-US',
        javaScriptEnabled,
      });
      const page = await context.newPage();
      const found = collectFaults(page, [new URL(consoleService.url).origin]);
      await page.goto('/', { waitUntil: 'networkidle' });
      await page.getByRole('table', { name: 'Models' }).waitFor();
      // Answers to the scripts: the page itself brings them along.
      if (javaScriptEnabled) {
        const asked: string[] = [];
        page.on('request', (request) => asked.push(new URL(request.url()).pathname));
        await page.reload({ waitUntil: 'networkidle' });
        expect(asked.filter((path) => path.startsWith('/api/') || path === '/config.json')).toEqual([]);
        expect(asked.length).toBeLessThanOrEqual(MOST_LANDING_REQUESTS);
      }
      shots.push((await page.screenshot()).toString('base64'));
      expect(found).toEqual([]);
      await context.close();
    }
    expect(shots[1] === shots[0]).toBe(true);
  });
});

const visit = async (baseURL: string, locale = 'en-US') =>
  (await browser!.newContext({ baseURL, locale })).newPage();

/** The links below a page, with their addresses. */
async function footerOf(page: Page): Promise<(string | null)[][]> {
  const links = page.locator('footer nav').getByRole('link');
  await links.last().waitFor();
  return links.evaluateAll((all) => all.map((link) => [link.textContent, link.getAttribute('href')]));
}

ifThere('names below each page what is configured, and nothing else', async () => {
  const visitor = await visit(consoleService.url);
  for (const path of ['/', '/sign-in', '/docs']) {
    await visitor.goto(path);
    expect(await footerOf(visitor)).toEqual([
      ['Documentation', '/docs'],
      ['Support', 'mailto:help@example.com'],
      ['Privacy', 'https://www.example.com/privacy'],
    ]);
  }
  await visitor.context().close();
});

ifThere('repeats what was pressed and typed before the scripts could answer', async () => {
  const context = await browser!.newContext({ baseURL: consoleService.url, locale: 'en-US' });
  const page = await context.newPage();
  let release = () => undefined as void;
  const isReleased = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/assets/*.js', async (route) => {
    await isReleased;
    await route.continue();
  });
  await page.goto('/pricing', { waitUntil: 'commit' });
  await page.getByLabel('Output tokens').fill('3000000');
  await page.getByRole('button', { name: 'Language, colours and time zone' }).click();
  expect(await page.getByRole('menu').count()).toBe(0);
  release();
  await page.getByRole('menu').waitFor();
  // A million input tokens at 0.123456 and three million output tokens at 2.
  await page.getByText('$6.123456').waitFor();
  await context.close();
});

/** Where a sign-in leads. */
const overviewOf = (page: Page) => page.getByRole('heading', { name: 'Overview', level: 1 });
const overview = () => overviewOf(tab);

ifThere('a visitor sees the first call, and gets from there to an account', async () => {
  await tab.goto('/');
  await tab.getByText('/v1/chat/completions').waitFor();
  await tab.getByRole('main').getByRole('link', { name: 'Create an account' }).click();
  await new RegisterPage(tab).register(PERSON);
  await overview().waitFor();
});

ifThere('leads who is signed in from the start page to the console', async () => {
  await tab.goto('/');
  await overview().waitFor();
});

ifThere('asks for the password if the link of a mail is opened in another browser', async () => {
  const context = await browser!.newContext({ baseURL: tab.url(), locale: 'en-US' });
  const other = await context.newPage();
  await other.goto(`/verify-email#token=${await mailedToken(mails, 'verify_email')}`);
  const pages = new RecoveryPages(other);
  await pages.confirm();
  await other.getByText('This browser is not signed in to the account.').waitFor();
  expect(await other.getByRole('alert').count()).toBe(0);
  await other.getByLabel('Password of the account').fill('a wrong password');
  await pages.confirm();
  await other.getByRole('alert').getByText('The password is wrong.').waitFor();
  await other.getByRole('link', { name: 'Set a new password' }).click();
  await other.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
  await context.close();
});

ifThere('confirms an address by the link of a mail, once', async () => {
  const token = await mailedToken(mails, 'verify_email');
  const pages = new RecoveryPages(tab);
  await tab.goto(`/verify-email#token=${token}`);
  await tab.waitForURL((url) => url.hash === '');
  await pages.confirm();
  await tab.getByText('Your address is confirmed').waitFor();
  await tab.goto('/verify-email');
  await pages.enterCode(token);
  await pages.confirm();
  await tab
    .getByRole('alert')
    .getByText(/used already/)
    .waitFor();
});

ifThere('sets a new password by the link of a mail, and signs out', async () => {
  await tab.goto('/forgot-password');
  const pages = new RecoveryPages(tab);
  await pages.askForMail(PERSON.email);
  await tab.goto(`/reset-password#token=${await mailedToken(mails, 'reset_password')}`);
  await tab.waitForURL((url) => url.hash === '');
  await pages.setPassword(NEW_PASSWORD);
  await tab.getByRole('status').getByText('Your new password is set').waitFor();
  await tab.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await new SignInPage(tab).signIn({ ...PERSON, password: NEW_PASSWORD });
  await overview().waitFor();
});

ifThere(
  'searches and sorts packages, also at their former address, and keeps the search in the address',
  async () => {
    await publishModel('acme/small', 'Small model', 'a');
    await publishModel('acme/large', 'Large model', 'a longer content');
    await tab.goto('/models?sort=smallest&q=model');
    const models = new PackagesPage(tab);
    await models.rows().first().waitFor();
    expect(await models.rows().allInnerTexts()).toEqual(['Small model', 'Large model']);
    await models.sort('Largest first');
    await tab.waitForURL(/sort=largest/);
    expect(await models.rows().allInnerTexts()).toEqual(['Large model', 'Small model']);
    await models.search('small');
    await tab.waitForURL(/q=small/);
    await tab.getByText('1 package', { exact: true }).waitFor();
  },
);

ifThere('downloads a model with the session, which is in no address', async () => {
  await new PackagesPage(tab).rows().first().click();
  await tab.getByRole('heading', { name: 'Small model' }).waitFor();
  const [download] = await Promise.all([
    tab.waitForEvent('download'),
    tab.getByRole('button', { name: 'Download', exact: true }).click(),
  ]);
  expect(readFileSync(await download.path(), 'utf8')).toBe('a');
  await tab.getByText('Apache-2.0').waitFor();
});

ifThere('shows the file for the system of the visitor, and says which component has no release', async () => {
  const name = 'engine-v1.0.0-linux-x86_64';
  const url = `https://github.com/acme/engine/releases/download/v1.0.0/${name}`;
  await byAdmin(
    'PUT',
    '/api/admin/releases/engine/v1.0.0',
    {
      name: 'Engine',
      assets: [{ name, url, size: 1_500_000 }],
    },
    201,
  );
  await tab.goto('/downloads');
  const engine = tab.getByRole('region', { name: 'Engine', exact: true });
  const link = engine.getByRole('link', { name: 'Download for Linux x86-64' });
  expect(await link.getAttribute('href')).toBe(url);
  await engine.getByText('1.5 MB').first().waitFor();
  await tab
    .getByRole('region', { name: 'Memo' })
    .getByText(/Nothing is published yet/)
    .waitFor();
});

ifThere('shows the changelog page by page, and its markup as text', async () => {
  for (let count = 1; count <= 21; count += 1)
    await byAdmin(
      'POST',
      '/api/admin/changelog',
      { title: `News ${count}`, body: '**bold** <b>text</b>' },
      201,
    );
  await tab.goto('/changelog');
  await tab.getByRole('heading', { name: 'News 21' }).waitFor();
  expect(await tab.getByRole('article').count()).toBe(20);
  expect(await tab.getByRole('article').first().getByText('<b>text</b>').innerText()).toBe(
    'bold <b>text</b>',
  );
  await tab.getByRole('button', { name: 'Show more' }).click();
  await tab.getByRole('heading', { name: 'News 1', exact: true }).waitFor();
});

ifThere('shows code in colours with a copy button, formulas and tables', async () => {
  const body = [
    '```python\nprint("a")  # b\n```',
    'With $a_1$ and\n\n$$\n\\frac{1}{2}\n$$\n\nand $\\wrong$.',
    '| a | b |\n|---|--:|\n| 1 | 2 |',
  ].join('\n\n');
  await byAdmin('POST', '/api/admin/changelog', { title: 'Marked up', body }, 201);
  const visitor = await (await browser!.newContext({ baseURL: tab.url(), locale: 'en-US' })).newPage();
  await visitor.goto('/changelog');
  const entry = visitor
    .getByRole('article')
    .filter({ has: visitor.getByRole('heading', { name: 'Marked up' }) });
  await entry.locator('code span', { hasText: '# b' }).waitFor();
  await entry.getByRole('button', { name: 'Copy the code' }).waitFor();
  await entry.locator('math mfrac').waitFor();
  expect(await entry.locator('math').count()).toBe(2);
  expect(await entry.getByText('\\wrong', { exact: true }).count()).toBe(1);
  expect(await entry.getByRole('cell', { name: '2' }).getAttribute('style')).toMatch(/text-align: *right/);
});

ifThere('repeats an early press on the button that was pressed, also for who is signed in', async () => {
  const context = await browser!.newContext({ baseURL: consoleService.url, locale: 'en-US' });
  const page = await context.newPage();
  await page.goto('/register');
  await new RegisterPage(page).register({ ...PERSON, email: 'early@example.com' });
  await overviewOf(page).waitFor();
  let release = () => undefined as void;
  const isReleased = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/assets/*.js', async (route) => {
    await isReleased;
    await route.continue();
  });
  await page.goto('/docs', { waitUntil: 'commit' });
  // In the frame of an account a button comes before it, which visitors do not have.
  await page.getByRole('main').getByRole('button', { name: /^Copy/ }).first().click();
  release();
  await page.getByRole('button', { name: 'Account' }).waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Copied' }).first().waitFor();
  expect(await page.getByRole('menu').count()).toBe(0);
  await context.close();
});

ifThere('asks for the consent to the terms at the sign-up, and after they have changed', async () => {
  const port = await findFreePort();
  const start = async (version: string) => {
    const environment = {
      CONSOLE_URL: `http://127.0.0.1:${port}`,
      CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
      STORAGE_FOLDER: join(mails, 'packages'),
      TERMS_URL: 'https://www.example.com/terms',
      TERMS_VERSION: version,
      IMPRINT_URL: 'https://www.example.com/imprint',
      STATUS_PAGE: 'public',
    };
    return site.startConsole(environment, port);
  };
  const first = await start('2026-11');
  const context = await browser!.newContext({ baseURL: first.url, locale: 'en-US' });
  await context.clock.install();
  const page = await context.newPage();
  await page.goto('/signup');
  const consent = page.getByRole('checkbox', { name: 'I accept the terms of use' });
  expect(await consent.isChecked()).toBe(false);
  await new RegisterPage(page).register({ ...PERSON, email: 'consent@example.com' });
  await page.getByText('Please accept the terms of use.').waitFor();
  await consent.check();
  await page.getByRole('button', { name: 'Create the account' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  const visitor = await visit(first.url, 'zh-CN');
  await visitor.goto('/');
  const targets = [
    '/docs',
    `${first.url}/status`,
    'https://www.example.com/terms',
    'https://www.example.com/imprint',
  ];
  const named = (names: string[]) => names.map((name, index) => [name, targets[index]]);
  expect(await footerOf(visitor)).toEqual(named(['文档', '服务状态', '服务条款', '运营主体']));
  expect(await footerOf(page)).toEqual(named(['Documentation', 'Service status', 'Terms of use', 'Imprint']));
  await visitor.getByRole('link', { name: '服务状态' }).click();
  await visitor.getByRole('heading', { name: '服务状态', level: 1 }).waitFor();
  await visitor.context().close();
  await page.goto('/settings');
  await page.getByText('Version 2026-11').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await first.stop();

  const second = await start('2027-01');
  // Without a reload, at the next page that is opened.
  await context.clock.fastForward(2 * 60_000);
  await page.getByRole('link', { name: 'API keys', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Terms of use' });
  await dialog.getByText('The terms of use have changed.').waitFor();
  expect(await dialog.getByRole('button', { name: 'Continue' }).isDisabled()).toBe(true);
  await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.goto('/overview');
  await overviewOf(page).waitFor();
  expect(await dialog.count()).toBe(0);
  await context.close();
  await second.stop();
});
