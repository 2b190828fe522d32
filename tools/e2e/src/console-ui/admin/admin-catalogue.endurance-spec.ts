import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@inference/testing';
import { type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core';
import { launchChromium } from '../../site/chromium';
import { consoleBody } from '../../site/console-client';
import { createAdmin } from '../../site/create-admin';
import { findProgram } from '../../site/nginx';
import { ROOT, type ServiceProcess } from '../../site/service-process';
import { Site } from '../../site/site';
import { openArea } from '../billing-pages';
import { collectFaults } from '../browser-faults';
import { findInPalette, SignInPage } from '../console-pages';
import { insertExportedHours } from '../every-page/seed-content';
import { ChangelogEditor, PackagePages, PriceEditor, RatesPage } from './catalogue-pages';

/** What admins publish, in Chromium, against a real console. The site is that of China, which has exchange rates. */

const ADMIN = { email: 'admin@example.com', password: 'the password of the admin' };
const MODELS = '/api/admin/billing/pricing/models';
const INPUT = 'sandbox-chat · per million input tokens';
const OUTPUT = 'sandbox-chat · per million output tokens';
/** At the speed to which the upload is slowed down it takes some seconds. */
const PACKAGE = {
  name: 'my-model.gguf',
  mimeType: 'application/octet-stream',
  buffer: Buffer.alloc(1_000_000, 'model'),
};
const UPLOAD_BYTES_PER_SECOND = 300_000;
const HOUR_MILLIS = 3_600_000;
/** The console exports once a minute, and the page looks every quarter of one. */
const EXPORT_LIMIT_MILLIS = 180_000;

const chrome = findProgram('chromium');
const ifThere = chrome ? it : it.skip;
const storage = mkdtempSync(join(tmpdir(), 'packages-'));

let database: TestDatabase;
let site: Site;
let consoleService: ServiceProcess;
let adminToken: string;
let browser: Browser | undefined;
let context: BrowserContext;
let tab: Page;
let faults: string[];

const byAdmin = (method: string, path: string, json: unknown, status = 200) =>
  consoleBody(consoleService.url, method, path, { token: adminToken, json, status });

/** What a visitor without a cache sees. */
async function visit(path: string): Promise<Page> {
  const visitor = await (
    await browser!.newContext({ baseURL: consoleService.url, locale: 'en-US' })
  ).newPage();
  await visitor.goto(path);
  return visitor;
}

beforeAll(async () => {
  database = await createTestDatabase();
  site = new Site(database, { site: 'cn' });
  consoleService = await site.startConsole({
    CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
    STORAGE_FOLDER: storage,
    EXPORT_STORAGE_FOLDER: join(storage, 'exports'),
  });
  await createAdmin(database.urlFor('console'), 'cn', ADMIN);
  const { token } = await consoleBody<{ token: string }>(consoleService.url, 'POST', '/api/auth/login', {
    json: { identifier: ADMIN.email, password: ADMIN.password },
  });
  adminToken = token;
  await byAdmin('PUT', MODELS, {
    models: [
      { slug: 'sandbox-chat', unit: 'per_million_input_tokens', price: 3 },
      { slug: 'sandbox-chat', unit: 'per_million_output_tokens', price: 8 },
    ],
  });
  if (!chrome) return;
  browser = await launchChromium(chrome);
  context = await browser.newContext({ baseURL: consoleService.url, locale: 'en-US', timezoneId: 'UTC' });
  tab = await context.newPage();
  faults = collectFaults(tab, [new URL(consoleService.url).origin]);
  await tab.goto('/sign-in');
  await new SignInPage(tab).signIn(ADMIN);
  await tab.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await database?.drop();
  rmSync(storage, { recursive: true });
});
afterEach(() => {
  if (chrome) expect(faults).toEqual([]);
});

ifThere('publishes a price after showing the difference', async () => {
  await openArea(tab, 'Prices');
  const editor = new PriceEditor(tab);
  await editor.change(INPUT, '4.000001');
  const dialog = await editor.review();
  const row = dialog.getByRole('row', { name: /input tokens/ });
  await row.getByText('¥3.00').waitFor();
  await row.getByText('¥4.000001').waitFor();
  await row.getByText('≈ +33.33%').waitFor();
  expect(await dialog.getByRole('row').count()).toBe(2);
  await editor.publish();
  await editor.version(0).getByText('¥4.000001').waitFor();
  const visitor = await visit('/pricing');
  await visitor.getByRole('table', { name: 'Models' }).getByText('¥4.000001').waitFor();
  await visitor.close();
});

ifThere('shows what somebody else has published meanwhile, and merges it', async () => {
  const editor = new PriceEditor(tab);
  await editor.change(INPUT, '5');
  await editor.change(OUTPUT, '9');
  await byAdmin('PATCH', MODELS, {
    models: [
      { slug: 'sandbox-chat', unit: 'per_million_input_tokens', price: 4.5 },
      { slug: 'sandbox-mini', unit: 'per_request', price: 0.01 },
    ],
  });
  const dialog = await editor.review();
  await editor.publish();
  await dialog
    .getByRole('alert')
    .getByText('1 of these prices was changed there too', { exact: false })
    .waitFor();
  const conflict = dialog.getByRole('row', { name: /Also changed there/ });
  await conflict.getByText('¥4.50').waitFor();
  await conflict.getByRole('button', { name: `Discard the change of ${INPUT}` }).click();
  await conflict.waitFor({ state: 'detached' });
  await editor.publish();
  await dialog.waitFor({ state: 'detached' });
  expect(await prices()).toEqual(['4.5', '9', '0.01']);
});

const prices = async () =>
  (await consoleBody<{ models: { price: unknown }[] }>(consoleService.url, 'GET', '/api/pricing')).models.map(
    ({ price }) => String(price),
  );

ifThere('keeps edits over a reload until they are discarded', async () => {
  const editor = new PriceEditor(tab);
  await editor.change(OUTPUT, '10.000001');
  await tab.reload();
  await editor.restored().waitFor();
  expect(await editor.field(OUTPUT).inputValue()).toBe('10.000001');
  await tab.getByText('1 change, not published yet').waitFor();
  await openArea(tab, 'Exchange rates');
  await tab.getByRole('heading', { name: 'Exchange rates', level: 1 }).waitFor();
  await openArea(tab, 'Prices');
  await editor.restored().getByRole('button', { name: 'Discard' }).click();
  await editor.restored().waitFor({ state: 'detached' });
  expect(await editor.field(OUTPUT).inputValue()).toBe('9');
  await tab.reload();
  await tab.getByText('No changes').waitFor();
  expect(await editor.restored().count()).toBe(0);
});

ifThere('compares edits from before with what somebody else has published since', async () => {
  const editor = new PriceEditor(tab);
  await editor.change(INPUT, '6');
  await editor.change(OUTPUT, '11');
  await byAdmin('PATCH', MODELS, {
    models: [{ slug: 'sandbox-chat', unit: 'per_million_input_tokens', price: 5.5 }],
  });
  await tab.reload();
  const conflict = editor.dialog().getByRole('row', { name: /Also changed there/ });
  await conflict.getByText('¥5.50').waitFor();
  await conflict.getByRole('button', { name: `Discard the change of ${INPUT}` }).click();
  await editor.publish();
  await editor.dialog().waitFor({ state: 'detached' });
  expect(await prices()).toEqual(['5.5', '11', '0.01']);
  await tab.reload();
  await tab.getByText('No changes').waitFor();
  expect(await editor.restored().count()).toBe(0);
});

ifThere('publishes a price with conditions, which customers see', async () => {
  const editor = new PriceEditor(tab);
  await editor.add('sandbox-chat', '2', { tokens: '200001', hours: '16:30-00:30' });
  const terms = '200,001 or more input tokens, daily 16:30 to 00:30 (Asia/Shanghai)';
  const dialog = await editor.review();
  await dialog.getByRole('row').filter({ hasText: terms }).getByText('¥2.00').waitFor();
  await editor.publish();
  await dialog.waitFor({ state: 'detached' });
  type Offered = { conditional_prices?: Record<string, unknown>[] };
  const { models } = await consoleBody<{ models: Offered[] }>(consoleService.url, 'GET', '/api/pricing');
  const conditional = models.flatMap(({ conditional_prices: others }) => others ?? []);
  expect(
    conditional.map(({ price, min_input_tokens: tokens, hours }) => [price, tokens, hours].map(String)),
  ).toEqual([['2', '200001', '16:30-00:30']]);
  const visitor = await visit('/models/sandbox-chat');
  await visitor.getByText(`¥2.00 · ${terms}`).waitFor();
  await visitor.close();
});

ifThere(
  'offers the models that it knows, and changes the prices of chosen ones by a percentage',
  async () => {
    const editor = new PriceEditor(tab);
    const name = tab.getByRole('form', { name: 'Add a price' }).getByRole('combobox', { name: 'Model' });
    await name.fill('sandbox-m');
    await tab.getByRole('option', { name: 'sandbox-mini' }).click();
    expect(await name.inputValue()).toBe('sandbox-mini');
    await name.fill('');
    await tab.getByRole('combobox', { name: 'Prices of' }).click();
    await tab.getByRole('option', { name: 'sandbox-mini' }).click();
    await tab.getByRole('textbox', { name: 'Change in percent' }).fill('10');
    await tab.getByRole('button', { name: 'Change 1 price' }).click();
    const dialog = await editor.review();
    await dialog
      .getByRole('row', { name: /sandbox-mini/ })
      .getByText('¥0.011')
      .waitFor();
    expect(await dialog.getByRole('row').count()).toBe(2);
    await dialog.getByRole('button', { name: /^Discard the change of sandbox-mini/ }).click();
    await dialog.getByRole('button', { name: 'Keep editing' }).click();
    await tab.getByText('No changes').waitFor();
  },
);

ifThere('publishes the prices of a file, which is read only as a whole', async () => {
  const editor = new PriceEditor(tab);
  const read = (rows: string[]) =>
    tab.locator('input[type=file]').setInputFiles({
      name: 'prices.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(['slug,unit,price', ...rows].join('\r\n')),
    });
  await read(['sandbox-chat,per_million_output_tokens,30', 'sandbox-chat,per_image,-1']);
  await tab
    .getByRole('alert')
    .getByText(/^Nothing was read: .*3$/)
    .waitFor();
  await read(['sandbox-chat,per_million_output_tokens,30']);
  const dialog = await editor.review();
  await dialog
    .getByRole('row', { name: /output tokens/ })
    .getByText('¥30.00')
    .waitFor();
  await dialog.getByRole('checkbox', { name: /by half or more/ }).check();
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('New price of the vendor');
  await editor.publish();
  await dialog.waitFor({ state: 'detached' });
  await editor.version(0).getByText('New price of the vendor').waitFor();
  expect(await prices()).toContain('30');
});

ifThere('publishes what an upstream takes, and warns of prices below it', async () => {
  await byAdmin(
    'POST',
    '/api/admin/upstreams',
    { name: 'gpu-1', base_url: 'http://127.0.0.1:9/v1', models: [{ model: 'sandbox-chat' }] },
    201,
  );
  const editor = new PriceEditor(tab);
  await openArea(tab, 'Upstreams');
  await tab.getByRole('link', { name: 'Cost prices of gpu-1' }).click();
  await tab.getByText('No price is published yet').waitFor();
  const form = tab.getByRole('form', { name: 'Add a price' });
  await form.getByRole('combobox', { name: 'Model at the upstream' }).click();
  await tab.getByRole('option', { name: 'sandbox-chat' }).click();
  await form.getByRole('textbox', { name: 'Price' }).fill('5.6');
  await form.getByRole('button', { name: 'Add' }).click();
  const warning = `${INPUT}: gpu-1 charges more (Input tokens)`;
  await (await editor.review()).getByRole('alert').getByText(warning).waitFor();
  await editor.publish();
  await editor.version(0).getByText('¥5.60').waitFor();
  const parts = tab.getByRole('navigation', { name: 'Prices' });
  await parts.getByRole('link', { name: 'Models' }).click();
  await editor.change(INPUT, '5.599999');
  const dialog = await editor.review();
  await dialog.getByRole('alert').getByText(warning).waitFor();
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
  await editor.change(INPUT, '5.6');
  await editor.review();
  await dialog
    .getByRole('row', { name: /input tokens/ })
    .getByText('¥5.60')
    .waitFor();
  await dialog.getByRole('alert').waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: `Discard the change of ${INPUT}` }).click();
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
});

ifThere('adds an upstream whose settings were tested, drains it and removes it', async () => {
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json');
    if (request.headers.authorization !== 'Bearer sk-right')
      return void response.writeHead(401).end('{"error":"Wrong key."}');
    response.end(request.url === '/v1/models' ? '{"data":[{"id":"large"}]}' : '{"choices":[]}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await openArea(tab, 'Upstreams');
  await tab.getByRole('button', { name: 'Add an upstream' }).click();
  const dialog = tab.getByRole('dialog');
  const fill = (label: string, text: string) => dialog.getByLabel(label, { exact: true }).fill(text);
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('gpu-2');
  await dialog
    .getByRole('textbox', { name: 'Base URL' })
    .fill(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
  await fill('API key', 'sk-wrong');
  const test = dialog.getByRole('button', { name: 'Test these settings' });
  await test.click();
  await dialog.getByText('401: Wrong key.').waitFor();
  await fill('API key', 'sk-right');
  await dialog.getByRole('button', { name: 'Add a model' }).click();
  await fill('Model', 'sandbox-chat');
  await fill('Name at the upstream', 'large');
  await fill('Weight', '25');
  await dialog.getByText('20%').waitFor();
  await test.click();
  await dialog.getByText(/^large answered in \d+ ms\.$/).waitFor();
  await dialog.getByRole('button', { name: 'Review' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const row = tab.getByRole('row', { name: /gpu-2/ });
  await row.getByText('sandbox-chat').waitFor();
  await row.getByRole('button', { name: 'Drain gpu-2' }).click();
  await row.getByRole('button', { name: 'Activate gpu-2' }).waitFor();
  await row.getByRole('button', { name: 'Remove gpu-2' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await row.waitFor({ state: 'detached' });
  server.close();
});

ifThere('sets an exchange rate after showing the difference', async () => {
  await openArea(tab, 'Exchange rates');
  const page = new RatesPage(tab);
  const first = await page.set('0.14');
  await first.getByRole('button', { name: 'Set this rate' }).click();
  await page.current().getByText('0.14').waitFor();
  const second = await page.set('0.1400000007');
  await second.getByText('0.14 → 0.1400000007 ≈ 0%').waitFor();
  await second.getByRole('button', { name: 'Set this rate' }).click();
  await page.current().getByText('0.1400000007').waitFor();
});

ifThere('publishes an entry of the changelog with a preview, and deletes it', async () => {
  await openArea(tab, 'Changelog entries');
  const editor = new ChangelogEditor(tab);
  await editor.write('Faster streams', 'Streams are *twice* as fast.');
  await editor.preview().getByRole('heading', { name: 'Faster streams' }).waitFor();
  expect(await editor.preview().locator('em').innerText()).toBe('twice');
  await editor.publish();
  await tab.getByRole('table', { name: 'Changelog entries' }).getByText('Faster streams').waitFor();
  const visitor = await visit('/changelog');
  await visitor.getByRole('article', { name: 'Faster streams' }).locator('em').waitFor();
  await visitor.close();
  await editor.delete('Faster streams');
  await tab.getByRole('heading', { name: 'No entries yet' }).waitFor();
});

ifThere('uploads a package, publishes it and withdraws it', async () => {
  await openArea(tab, 'Model packages');
  const pages = new PackagePages(tab);
  await pages.describe('acme/my-model', 'My model');
  await tab.getByRole('heading', { name: 'My model', level: 1 }).waitFor();
  const network = await context.newCDPSession(tab);
  const slow = {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: UPLOAD_BYTES_PER_SECOND,
  };
  await network.send('Network.emulateNetworkConditions', slow);
  await pages.upload('1.0', PACKAGE);
  await pages.progress().waitFor();
  await network.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
  await pages.row('1.0').getByText('Not published').waitFor();
  await pages.act('Publish', '1.0');
  await pages.row('1.0').getByText('Published', { exact: true }).waitFor();
  const visitor = await visit('/packages');
  await visitor.getByRole('link', { name: 'My model' }).waitFor();
  await findInPalette(tab, 'My model');
  await tab.waitForURL('**/packages/acme/my-model');
  await tab.goBack();
  await pages.act('Withdraw', '1.0');
  await pages.row('1.0').getByText('Not published').waitFor();
  await visitor.close();
  const later = await visit('/packages');
  await later.getByRole('heading', { name: 'Packages', level: 1 }).waitFor();
  await later.getByRole('link', { name: 'My model' }).waitFor({ state: 'detached' });
  await later.close();
});

ifThere('withdraws a release and publishes it again', async () => {
  await byAdmin(
    'PUT',
    '/api/admin/releases/engine/v2.0.0',
    {
      name: 'Engine 2.0',
      assets: [
        {
          name: 'engine-linux-x86_64.tar.gz',
          size: 5,
          url: 'https://gitee.com/acme/engine/releases/download/v2.0.0/engine-linux-x86_64.tar.gz',
        },
      ],
    },
    201,
  );
  await openArea(tab, 'Releases');
  const row = tab.getByRole('table', { name: 'Releases' }).getByRole('row', { name: /Engine 2.0/ });
  for (const [action, state] of [
    ['Withdraw', 'Hidden'],
    ['Publish', 'Published'],
  ] as const) {
    await row.getByRole('button', { name: action }).click();
    await tab.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
    await row.getByText(state, { exact: true }).waitFor();
  }
});

ifThere('counts the refused and failed calls of all accounts', async () => {
  await database.pool.query(
    `INSERT INTO metering.unserved_calls (request_id, occurred_at, started_at, account_id, model, entrypoint, endpoint, kind,
       http_status, error_code, upstream, duration_ms)
     SELECT 'req_unserved' || n, now(), now(), id, 'sandbox-chat', 'gateway', 'chat/completions', 'failed', 502, 'upstream_error', 'second', 1
     FROM accounts.accounts, generate_series(1, 3) n WHERE email = $1`,
    [ADMIN.email],
  );
  await openArea(tab, 'Refused and failed calls');
  const table = tab.getByRole('table', { name: 'Refused and failed calls' });
  await table.getByRole('row', { name: 'Failed upstream_error 3 1' }).waitFor();
  await tab.getByRole('combobox', { name: 'Show by' }).click();
  await tab.getByRole('option', { name: 'Upstream' }).click();
  await table.getByRole('row', { name: 'Failed upstream_error second 3 1' }).waitFor();
  await tab.getByRole('textbox', { name: 'Upstream' }).fill('first');
  await tab.keyboard.press('Enter');
  await tab.getByText('No such calls').waitFor();
});

ifThere('counts downloads in the days that are chosen', async () => {
  await openArea(tab, 'Model packages');
  await tab.getByRole('link', { name: 'My model' }).click();
  const pages = new PackagePages(tab);
  await pages.act('Publish', '1.0');
  await pages.row('1.0').getByText('Published', { exact: true }).waitFor();
  for (let link = 0; link < 2; link += 1) await byAdmin('POST', '/api/models/acme/my-model/link', {});
  const countEarlier = (day: string) =>
    database.pool.query(
      `INSERT INTO catalogue.package_downloads (package_id, day, account_id, links)
       SELECT package_id, $1, account_id, 5 FROM catalogue.package_downloads LIMIT 1`,
      [day],
    );
  await countEarlier('2026-01-31');
  await countEarlier('2026-02-01');
  await openArea(tab, 'Download statistics');
  await tab.getByRole('img', { name: 'Downloads of the most popular models' }).waitFor();
  const row = (figures: string) =>
    tab.getByRole('table', { name: 'Models' }).getByRole('row', { name: `acme/my-model 1.0 ${figures}` });
  await row('1 1 2').waitFor();
  await tab.getByRole('textbox', { name: 'First day' }).fill('2026-01-31');
  await row('3 1 12').waitFor();
  await tab.getByRole('textbox', { name: 'Last day' }).fill('2026-01-31');
  await row('1 1 5').waitFor();
  await tab.getByRole('textbox', { name: 'First day' }).fill('2026-01-01');
  await tab.getByRole('textbox', { name: 'Last day' }).fill('2026-01-30');
  await tab.getByRole('heading', { name: 'No downloads in this period' }).waitFor();
});

ifThere('has no such pages for customers', async () => {
  const customer = await (
    await browser!.newContext({ baseURL: consoleService.url, locale: 'en-US' })
  ).newPage();
  const person = { email: 'ann@example.com', password: 'a password of this test' };
  await consoleBody(consoleService.url, 'POST', '/api/auth/register', { json: person, status: 201 });
  await customer.goto('/admin/pricing');
  await new SignInPage(customer).signIn(person);
  await customer.getByRole('heading', { name: 'There is no such page' }).waitFor();
  expect(await customer.getByRole('navigation').getByText('Administration').count()).toBe(0);
  await customer.context().close();
});

ifThere('shows how far the hourly export is, and has an hour exported again', async () => {
  const hourAgo = (hours: number) => new Date(Math.floor(Date.now() / HOUR_MILLIS - hours) * HOUR_MILLIS);
  await insertExportedHours(database.pool, hourAgo(2).toISOString());
  const [own, again] = [hourAgo(1), hourAgo(3)].map((hour) =>
    tab.getByRole('row').filter({ has: tab.locator(`time[datetime="${hour.toISOString()}"]`) }),
  ) as [Locator, Locator];
  await openArea(tab, 'Warehouse export');
  await tab.getByRole('status').getByText('No hour is closed yet').waitFor();
  // Otherwise it would take the first usage, and an hour.
  await database.pool.query('UPDATE metering.rollup_progress SET rolled_until = $1', [hourAgo(0)]);
  await own.getByText('Exported').waitFor({ timeout: EXPORT_LIMIT_MILLIS });
  await tab.getByText('2 hours could not be exported').waitFor();
  await tab.getByRole('button', { name: 'Show failed hours' }).click();
  await tab.getByRole('cell').getByText('The storage refused the files or could not be reached.').waitFor();
  await tab.getByRole('cell').getByText('cost of usage: 2 exported, 1 in the books').waitFor();
  expect(await tab.getByRole('row').count()).toBe(3);
  expect(new URL(tab.url()).searchParams.get('state')).toBe('failed');
  await tab.goto('/admin/exports');
  await again.getByText('1,204').waitFor();
  await again.getByRole('button', { name: /^Export .* UTC again$/ }).click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByText('Version 2 of this hour is written', { exact: false }).waitFor();
  await dialog.getByRole('button', { name: 'Export again' }).click();
  await dialog.waitFor({ state: 'detached' });
  await again.getByText('In progress').waitFor();
  await again.getByText('Exported').waitFor({ timeout: EXPORT_LIMIT_MILLIS });
  expect(await again.getByRole('cell').allTextContents()).toEqual(expect.arrayContaining(['2', 'Exported']));
});
