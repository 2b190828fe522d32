import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createTestDatabase,
  insertAccount,
  publishPrices,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { type Browser, type Locator, type Page } from 'playwright-core';
import { launchChromium } from '../../site/chromium';
import { consoleBody } from '../../site/console-client';
import { createAdmin } from '../../site/create-admin';
import { findProgram } from '../../site/nginx';
import { ROOT, type ServiceProcess } from '../../site/service-process';
import { Site } from '../../site/site';
import { openArea } from '../billing-pages';
import { collectFaults } from '../browser-faults';
import { SignInPage } from '../console-pages';
import { SteeredModel } from './steered-model';

/** The pages of upstreams, served models, margin and health in Chromium, while two gateways serve calls. */

const ADMIN = { email: 'admin@example.com', password: 'the password of the admin' };
const PLENTY_PICOS = 100_000_000_000_000n;
const PICOS = 1_000_000_000_000n;
const MILLION = 1_000_000n;
/** Of a million tokens, in picos. */
const PRICES = { small: [3n * PICOS, 12n * PICOS], large: [5n * PICOS, 20n * PICOS] } as const;
/** What the first upstream takes. The output of the large model is not known. */
const COSTS = [
  ['small', 'per_million_input_tokens', 1],
  ['small', 'per_million_output_tokens', 7],
  ['large', 'per_million_input_tokens', 6],
] as const;
/** Of the report on margins, in the order of its CSV. */
const FIGURES = [
  'calls',
  'calls_without_cost',
  'revenue',
  'revenue_without_cost',
  'cost',
  'margin',
  'margin_percent',
] as const;
const DAY_MILLIS = 86_400_000;
const IN_FORCE_MILLIS = 2_000;
const HELD = 6;
/** Gateways report every two seconds, and the page asks as often. */
const SHOWN_MILLIS = 15_000;

const chrome = findProgram('chromium');
const ifThere = chrome ? it : it.skip;

let database: TestDatabase;
let site: Site;
let consoleUrl: string;
let gateways: ServiceProcess[];
let first: SteeredModel;
let second: SteeredModel;
let apiKey: string;
let token: string;
let browser: Browser | undefined;
let tab: Page;
let faults: string[];

const byAdmin = <Body>(method: string, path: string, json?: unknown, status = 200) =>
  consoleBody<Body>(consoleUrl, method, path, { token, json, status });

beforeAll(async () => {
  database = await createTestDatabase();
  await publishPrices(
    database.pool,
    Object.entries(PRICES).flatMap(([slug, [input, output]]) => [
      { slug, unit: 'per_million_input_tokens' as const, ratePicos: input / MILLION },
      { slug, unit: 'per_million_output_tokens' as const, ratePicos: output / MILLION },
    ]),
  );
  ({ apiKey } = await insertAccount(database.pool, { balancePicos: PLENTY_PICOS }));
  [first, second] = await Promise.all([new SteeredModel().start(), new SteeredModel().start()]);
  site = new Site(database);
  const UPSTREAMS = JSON.stringify([{ name: 'first', base_url: first.url, models: ['small', 'large'] }]);
  gateways = [await site.startGateway(first, { UPSTREAMS }), await site.startGateway(first, { UPSTREAMS })];
  const { url } = await site.startConsole({
    CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
    GATEWAY_URL: gateways[0]!.url,
  });
  consoleUrl = url;
  await createAdmin(database.urlFor('console'), 'intl', ADMIN);
  ({ token } = await consoleBody<{ token: string }>(consoleUrl, 'POST', '/api/auth/login', {
    json: { identifier: ADMIN.email, password: ADMIN.password },
  }));
  if (!chrome) return;
  browser = await launchChromium(chrome);
  tab = await (
    await browser.newContext({ baseURL: consoleUrl, locale: 'en-US', timezoneId: 'UTC' })
  ).newPage();
  tab.setDefaultTimeout(SHOWN_MILLIS);
  faults = collectFaults(tab, [new URL(consoleUrl).origin]);
  await tab.goto('/sign-in');
  await new SignInPage(tab).signIn(ADMIN);
  await tab.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
});
afterAll(async () => {
  await browser?.close();
  first?.letGo();
  second?.letGo();
  await site?.stop();
  first?.stop();
  second?.stop();
  await database?.drop();
});
afterEach(() => {
  // What a test has held shall not stop the next one.
  first.isHolding = false;
  first.letGo();
  if (chrome) expect(faults).toEqual([]);
});

let prompts = 0;
/** A call of either gateway, with a prompt of its own. */
const chat = (model: string, more: object = {}): Promise<Response> =>
  fetch(`${gateways[prompts % 2]!.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: `Question ${prompts++}` }],
      max_tokens: 50,
      ...more,
    }),
  });
/** The days on which the calls of the test may be. */
const period = () => {
  const dayOf = (millis: number) => new Date(millis).toISOString().slice(0, 10);
  return `from=${dayOf(Date.now() - DAY_MILLIS)}&to=${dayOf(Date.now() + DAY_MILLIS)}`;
};
/** What every gateway says of a call, once both say the same. */
async function onBothGateways(
  check: (answer: Response) => boolean,
  call: () => Promise<Response>,
): Promise<void> {
  await waitFor(async () => check(await call()) && check(await call()));
}

const dialog = () => tab.getByRole('dialog');
const button = (name: string) => dialog().getByRole('button', { name, exact: true });
const field = (name: string) => dialog().getByRole('textbox', { name, exact: true });
async function choose(name: string, option: string): Promise<void> {
  await dialog().getByRole('combobox', { name, exact: true }).click();
  await tab.getByRole('option', { name: option, exact: true }).click();
}
/** What a review shows: setting, now, afterwards. */
async function reviewed(): Promise<string[][]> {
  await button('Review').click();
  await tab.getByRole('dialog', { name: 'Save these changes?' }).waitFor();
  return Promise.all(
    (await dialog().getByRole('row').all())
      .slice(1)
      .map(async (row) => await row.getByRole('cell').allInnerTexts()),
  );
}
async function save(): Promise<void> {
  await button('Save').click();
  await dialog().waitFor({ state: 'detached' });
}
/** The text of a cell by the heading of its column. */
async function cellText(row: Locator, heading: string): Promise<string> {
  const headings = await row
    .locator('xpath=ancestor::*[@role="table"]')
    .getByRole('columnheader')
    .allInnerTexts();
  expect(headings).toContain(heading);
  return row.getByRole('cell').nth(headings.indexOf(heading)).innerText();
}

ifThere('shows the margin of a day as the API and a sum by hand have it, also as CSV', async () => {
  const { upstreams } = await byAdmin<{ upstreams: { id: string }[] }>('GET', '/api/admin/upstreams');
  await byAdmin('PUT', `/api/admin/upstreams/${upstreams[0]!.id}/cost-prices`, {
    cost_prices: COSTS.map(([model, unit, price]) => ({ model, unit, price })),
  });
  await sleep(IN_FORCE_MILLIS);
  const calls = { small: 8, large: 4 };
  for (const model of ['small', 'large'] as const)
    for (let call = 0; call < calls[model]; call++) expect((await chat(model)).status).toBe(200);
  type Row = Record<(typeof FIGURES)[number] | 'key', unknown>;
  const report = async () =>
    byAdmin<{ rows: Row[]; total: Row }>('GET', `/api/admin/reports/margin?${period()}&group_by=model`);
  await waitFor(async () => String((await report()).total.calls) === '12');

  // By hand, of 700 tokens in and 30 out: $3 and $12 a million for the small one, which takes $1 and $7; $5 and $20 for the large
  // one, of which only the $6 of its input are known.
  const byHand = [
    ['small', '8', '0', '0.01968', '0', '0.00728', '0.0124', '63.01'],
    ['large', '4', '4', '0.0164', '0.0164', '0', '-', '-'],
    ['total', '12', '4', '0.03608', '0.0164', '0.00728', '0.0124', '63.01'],
  ];
  const textOf = (value: unknown) => (value === null ? '-' : String(value));
  const { rows, total } = await report();
  expect(
    [...rows, { ...total, key: 'total' }].map(({ key, ...figures }) => [
      key,
      ...FIGURES.map((name) => textOf((figures as Row)[name])),
    ]),
  ).toEqual(expect.arrayContaining(byHand));

  await openArea(tab, 'Margin');
  const table = tab.getByRole('table', { name: 'Margin' });
  await table.waitFor();
  await tab.getByRole('combobox', { name: 'Show by' }).click();
  await tab.getByRole('option', { name: 'Model', exact: true }).click();
  for (const [key, ...expected] of byHand) {
    const row = table
      .getByRole('row')
      .filter({ has: tab.getByText(key === 'total' ? 'Total' : key!, { exact: true }) });
    await row.waitFor();
    const shown = await row
      .getByRole('cell')
      .evaluateAll((cells) =>
        cells.map((cell) => cell.querySelector('data')?.getAttribute('value') ?? cell.textContent),
      );
    const [count, uncosted, revenue, , cost, margin, percent] = expected.map((text) =>
      text === '-' ? '–' : text,
    );
    expect(shown.slice(1, 7)).toEqual([
      count,
      uncosted,
      revenue,
      cost,
      margin,
      percent === '–' ? '–' : `${percent}%`,
    ]);
  }
  const arriving = tab.waitForEvent('download');
  await tab.getByRole('button', { name: 'Download CSV' }).click();
  const chunks: Buffer[] = [];
  for await (const chunk of await (await arriving).createReadStream()) chunks.push(chunk as Buffer);
  const [heading, ...lines] = Buffer.concat(chunks).toString().trim().split(/\r?\n/);
  expect(heading!.replace('\ufeff', '')).toBe(['key', ...FIGURES].join(','));
  expect(lines).toEqual(
    expect.arrayContaining(
      byHand.slice(0, 2).map((row) => row.map((text) => (text === '-' ? '' : text)).join(',')),
    ),
  );
});

ifThere('shows what a new model would be before it is stored, and gateways obey it', async () => {
  await openArea(tab, 'Served models');
  await tab.getByRole('button', { name: 'Add a model' }).click();
  await field('Slug').fill('small');
  await field('Display name').fill('Small one');
  await field('Context (tokens)').fill('8192');
  await field('Answer limit (tokens)').fill('40');
  await field('Aliases').fill('quick, quick-latest');
  await field('Fallbacks').fill('large');
  expect(await reviewed()).toEqual([
    ['Slug', '–', 'small'],
    ['Display name', '–', 'Small one'],
    ['Context (tokens)', '–', '8192'],
    ['Answer limit (tokens)', '–', '40'],
    ['Aliases', '–', 'quick, quick-latest'],
    ['Fallbacks', '–', 'large'],
    ['Field of the answer limit', '–', 'max_tokens'],
    ['State', '–', 'Offered'],
  ]);
  expect((await byAdmin<{ models: unknown[] }>('GET', '/api/admin/inference/models')).models).toEqual([]);
  await save();
  const row = tab.getByRole('table', { name: 'Served models' }).getByRole('row', { name: /Small one/ });
  await row.getByText('quick, quick-latest').waitFor();
  await row.getByText('8,192').waitFor();

  await onBothGateways(
    ({ status }) => status === 200,
    () => chat('quick-latest', { max_tokens: 20 }),
  );
  const listed = await fetch(`${gateways[0]!.url}/v1/models/small`, {
    headers: { Authorization: `Bearer ${apiKey}` },
  });
  expect(await listed.json()).toMatchObject({ context_length: 8192, max_output_tokens: 40 });
  first.failing.add('small');
  const fallback = await chat('quick', { max_tokens: 20 });
  expect([fallback.status, fallback.headers.get('x-inference-model')]).toEqual([200, 'large']);
  first.failing.clear();
});

ifThere('compares a change with what somebody else has stored meanwhile, and keeps that', async () => {
  await tab.getByRole('button', { name: 'Edit small' }).click();
  await field('Answer limit (tokens)').fill('60');
  await field('Display name').fill('Small and quick');
  const { models } = await byAdmin<{ models: { id: string }[] }>('GET', '/api/admin/inference/models');
  const path = `/api/admin/inference/models/${models[0]!.id}`;
  await byAdmin('PATCH', path, { aliases: ['quick'], name: 'Theirs' });
  expect(await reviewed()).toEqual([
    [expect.stringMatching(/^Display name\s+Also changed there$/), 'Theirs', 'Small and quick'],
    ['Answer limit (tokens)', '40', '60'],
  ]);
  await dialog().getByRole('alert').getByText('Somebody else has saved changes meanwhile').waitFor();
  // Between the review and the click.
  await byAdmin('PATCH', path, { context_tokens: 4096, max_output_tokens: 50 });
  await button('Save').click();
  await dialog()
    .getByRole('row', { name: /Answer limit/ })
    .getByText('50', { exact: true })
    .waitFor();
  await save();
  const after = await byAdmin<{ models: object[] }>('GET', '/api/admin/inference/models');
  expect(JSON.parse(JSON.stringify(after.models[0]))).toMatchObject({
    name: 'Small and quick',
    aliases: ['quick'],
  });
  expect(String((after.models[0] as { context_tokens: unknown }).context_tokens)).toBe('4096');
  expect(String((after.models[0] as { max_output_tokens: unknown }).max_output_tokens)).toBe('60');
});

ifThere('says in the form what the service refuses, and that nothing would change', async () => {
  await tab.getByRole('button', { name: 'Edit small' }).click();
  await field('Fallbacks').fill('small');
  await button('Review').click();
  await dialog().getByText('must not name the model itself').waitFor();
  await field('Fallbacks').fill('large');
  expect(await reviewed()).toEqual([]);
  await dialog().getByText('Nothing would change.').waitFor();
  expect(await button('Save').isDisabled()).toBe(true);
  await button('Keep editing').click();
  expect(await field('Fallbacks').inputValue()).toBe('large');
  await button('Cancel').click();
});

ifThere('shows how a second upstream changes the split, before and after it is stored', async () => {
  await openArea(tab, 'Upstreams');
  await tab.getByRole('button', { name: 'Add an upstream' }).click();
  await field('Name').fill('second');
  await field('Base URL').fill(second.url);
  await field('Max. concurrent calls').fill('8');
  for (const [index, model] of ['small', 'large'].entries()) {
    await button('Add a model').click();
    await field('Model').nth(index).fill(model);
    await field('Weight').nth(index).fill('300');
  }
  const added = await reviewed();
  expect(added).toEqual(
    expect.arrayContaining([
      ['Name', '–', 'second'],
      ['Max. concurrent calls', '–', '8'],
      ['Model small', 'none', 'weight 300, priority 0'],
    ]),
  );
  await dialog()
    .getByRole('region', { name: 'How calls will be split' })
    .getByText('small: first 25%, second 75%')
    .waitFor();
  await save();
  await tab.getByRole('button', { name: 'Edit second' }).click();
  // They are listed by their names.
  await field('Weight').nth(1).fill('100');
  await field('First byte timeout (ms)').fill('20000');
  expect(await reviewed()).toEqual([
    ['First byte timeout (ms)', 'Default', '20000'],
    ['Model small', 'weight 300, priority 0', 'weight 100, priority 0'],
  ]);
  await dialog().getByText('small: first 50%, second 50%').waitFor();
  await dialog().getByText('large: first 25%, second 75%').waitFor();
  await save();
  await tab
    .getByRole('region', { name: 'How calls are split' })
    .getByText('small: first 50%, second 50%')
    .waitFor();
});

ifThere('drains an upstream under load, whose running calls fall to 0 in the page', async () => {
  first.isHolding = true;
  const calls: Promise<Response>[] = [];
  while (first.running < HELD) {
    const before = first.running;
    const call = chat('small');
    calls.push(call);
    await Promise.race([call, waitFor(() => first.running > before)]);
  }
  const row = tab.getByRole('table', { name: 'Upstreams' }).getByRole('row', { name: /^first/ });
  const shown = () => cellText(row, 'Running');
  await waitFor(async () => (await shown()) === String(HELD), SHOWN_MILLIS);
  await row.getByRole('button', { name: 'Drain first' }).click();
  await row.getByText('Draining').waitFor();
  await tab.getByRole('region', { name: 'How calls are split' }).getByText('small: second 100%').waitFor();
  // In force everywhere after two seconds.
  await sleep(IN_FORCE_MILLIS);
  const seen = [HELD];
  for (let left = HELD; left > 0;) {
    expect((await chat('small')).status).toBe(200);
    expect(first.running).toBe(left);
    first.letGo(2);
    left -= 2;
    await waitFor(async () => (await shown()) === String(left), SHOWN_MILLIS);
    seen.push(Number(await shown()));
  }
  expect(seen).toEqual([6, 4, 2, 0]);
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200));
  first.isHolding = false;
  await row.getByRole('button', { name: 'Activate first' }).click();
  await row.getByRole('button', { name: 'Drain first' }).waitFor();
});

ifThere('retires a model, whose calls name its successor', async () => {
  await openArea(tab, 'Served models');
  await tab.getByRole('button', { name: 'Edit small' }).click();
  await choose('State', 'Retired');
  await field('Successor').fill('large');
  expect(await reviewed()).toEqual([
    ['State', 'Offered', 'Retired'],
    ['Successor', 'none', 'large'],
  ]);
  await save();
  await tab
    .getByRole('row', { name: /Small and quick/ })
    .getByText('Retired → large')
    .waitFor();
  await onBothGateways(
    ({ status }) => status === 404,
    () => chat('small'),
  );
  const gone = (await (await chat('quick')).json()) as { error: { message: string } };
  expect(gone.error.message).toContain('large');
  expect((await chat('large')).status).toBe(200);
  await tab.getByRole('button', { name: 'Edit small' }).click();
  await choose('State', 'Offered');
  expect(await reviewed()).toEqual([
    ['State', 'Retired', 'Offered'],
    ['Successor', 'large', 'none'],
  ]);
  await save();
  await onBothGateways(
    ({ status }) => status === 200,
    () => chat('small'),
  );
});

ifThere('shows upstreams, queues and the share of failed calls on the page of health', async () => {
  type Health = {
    upstreams: { name: string; calls_per_minute: unknown; failures_per_minute: unknown }[];
    queues: { name: string; waiting: unknown }[];
  };
  second.failing.add('large');
  for (let call = 0; call < 20; call++) expect((await chat('large')).status).toBe(200);
  second.failing.clear();
  const upstreamsOf = async () => (await byAdmin<Health>('GET', '/api/admin/health')).upstreams;
  await waitFor(async () =>
    (await upstreamsOf()).some(({ failures_per_minute: failures }) => String(failures) !== '0'),
  );
  await openArea(tab, 'Health');
  const table = tab.getByRole('table', { name: 'Upstreams' });
  const row = (name: string) => table.getByRole('row', { name: new RegExp(`^${name}`) });
  await row('second').getByText('Failing: large').waitFor();
  await row('first').getByText('Up', { exact: true }).waitFor();
  const { queues } = await byAdmin<Health>('GET', '/api/admin/health');
  const waiting = tab.getByRole('table', { name: 'Queues' });
  expect(await waiting.getByRole('row').count()).toBe(queues.length + 1);
  await waiting.getByRole('row', { name: /^Usage to be settled/ }).waitFor();
  // The figures of a minute go on: the page and the API are read until they are of the same report.
  await waitFor(async () => {
    for (const { name, calls_per_minute: all, failures_per_minute: failed } of await upstreamsOf()) {
      const [calls, failures] = [Number(String(all)), Number(String(failed))];
      const share = calls === 0 ? '–' : `${((100 * failures) / calls).toFixed(1)}%`;
      if ((await cellText(row(name), 'Calls a minute')) !== String(calls)) return false;
      if ((await cellText(row(name), 'Failed')) !== share) return false;
    }
    return true;
  }, 60_000);
  expect(await cellText(row('second'), 'Running')).toBe('0 of 8');
  const [, , failures] = await Promise.all(
    ['first', 'second', 'second'].map((name) => cellText(row(name), 'Failed')),
  );
  expect(failures).toMatch(/^\d+\.\d%$/);
});
