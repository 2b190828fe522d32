import { join } from 'node:path';
import { createTestDatabase, publishPrices, type TestDatabase } from '@inference/testing';
import { type Browser, type Locator, type Page } from 'playwright-core';
import { launchChromium } from '../site/chromium';
import { consoleBody } from '../site/console-client';
import { createAdmin } from '../site/create-admin';
import { findProgram } from '../site/nginx';
import { ROOT, type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';
import { collectFaults } from './browser-faults';
import { findInPalette, KeysPage, RegisterPage } from './console-pages';

/** Settings, API keys and agents in Chromium, against real services and the sandbox engine. */

const ADMIN = { email: 'admin@example.com', password: 'admin password of this test' };
const PERSON = { email: 'ann@example.com', password: 'a password of this test' };
const MODEL = 'sandbox-chat';
/** Takes six seconds, enough to load the page in its middle. */
const SLOW = 'sandbox-chat+tokens-60+delay-100';

const chrome = findProgram('chromium');
const ifThere = chrome ? it : it.skip;

let database: TestDatabase;
let site: Site;
let consoleService: ServiceProcess;
let browser: Browser | undefined;
let tab: Page;
let faults: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  await publishPrices(
    database.pool,
    [MODEL, SLOW].flatMap((slug) => [
      { slug, unit: 'per_million_input_tokens' as const, ratePicos: 150_001n },
      { slug, unit: 'per_million_output_tokens' as const, ratePicos: 599_999n },
    ]),
  );
  site = new Site(database);
  const gateway = await site.startGateway(await site.startEngine());
  const agent = await site.startAgent(gateway);
  consoleService = await site.startConsole({
    CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
    GATEWAY_URL: gateway.url,
    AGENT_URL: agent.url,
  });
  await createAdmin(database.urlFor('console'), 'intl', ADMIN);
  if (!chrome) return;
  browser = await launchChromium(chrome);
  const context = await browser.newContext({ baseURL: consoleService.url, locale: 'en-US' });
  tab = await context.newPage();
  faults = collectFaults(tab, [new URL(consoleService.url).origin]);
  await tab.goto('/register');
  await new RegisterPage(tab).register(PERSON);
  await tab.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await addCredit();
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await database?.drop();
});
afterEach(() => {
  if (chrome) expect(faults).toEqual([]);
});

const message = () => tab.getByRole('textbox', { name: 'Your message' });
const send = () => tab.getByRole('button', { name: 'Send', exact: true });

async function addCredit(): Promise<void> {
  const { url } = consoleService;
  const signIn = ({ email: identifier, password }: typeof ADMIN) =>
    consoleBody<{ token: string; user: { id: string } }>(url, 'POST', '/api/auth/login', {
      json: { identifier, password },
    });
  const [admin, person] = [await signIn(ADMIN), await signIn(PERSON)];
  await consoleBody(url, 'POST', '/api/admin/billing/adjustments', {
    token: admin.token,
    json: { account_id: person.user.id, amount: 25, description: 'Credit' },
    status: 201,
  });
}

/** The costs of the calls of a model, the earliest first. */
async function chargedPicos(model: string): Promise<bigint[]> {
  const { rows } = await database.pool.query<{ cost_picos: bigint }>(
    'SELECT cost_picos FROM metering.usage_events WHERE model = $1 ORDER BY occurred_at',
    [model],
  );
  return rows.map(({ cost_picos: cost }) => BigInt(cost));
}

async function picosOf(amount: Locator): Promise<bigint> {
  const [whole, decimals = ''] = (await amount.getAttribute('value'))!.split('.');
  return BigInt(whole! + decimals.padEnd(12, '0'));
}

ifThere('a turn of an agent is taken up after a reload, with every character once', async () => {
  await tab.goto('/agents');
  // Nobody has to choose a model.
  await tab.getByRole('combobox', { name: 'Model' }).and(tab.locator('[value]:not([value=""])')).waitFor();
  await tab.getByRole('combobox', { name: 'Model' }).fill(SLOW);
  await tab.getByRole('option', { name: SLOW }).click();
  await tab.getByRole('main').getByRole('button', { name: 'More' }).click();
  await tab.getByRole('textbox', { name: 'Id' }).fill('no spaces');
  await message().fill('Say something about the sea.');
  await send().click();
  await tab.getByText('Use letters, digits and . _ : - only.').waitFor();
  expect(await message().inputValue()).toBe('Say something about the sea.');
  await tab.getByRole('textbox', { name: 'Id' }).fill('slow');
  await send().click();
  await tab.waitForURL('**/agents/slow');
  await tab.getByRole('heading', { name: 'Say something about the sea.', level: 1 }).waitFor();
  const growing = tab.getByRole('article', { name: 'Agent' });
  await growing.getByText(/\w+ \w+/).waitFor();
  await tab.reload();
  await growing.getByText(/\w+ \w+/).waitFor();
  const lastSeen = async () => (await growing.innerText()).replace(/^Agent\s+/, '');
  await tab.getByRole('log', { name: 'Conversation' }).and(tab.locator('[aria-busy=false]')).waitFor();
  await tab.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  const { rows } = await database.pool.query<{ content: string }>(
    "SELECT content FROM agent.events WHERE role = 'assistant'",
  );
  expect(rows).toHaveLength(1);
  expect(await lastSeen()).toBe(rows[0]!.content.trim());
});

ifThere('the palette finds the conversation by its name', async () => {
  await tab.goto('/overview');
  await findInPalette(tab, 'about the sea');
  await tab.waitForURL('**/agents/slow');
});

ifThere('a turn shows what it has cost and why, also if it was cancelled', async () => {
  const costs = tab.getByRole('log', { name: 'Conversation' }).getByText(/^Cost/).locator('data');
  await costs.first().waitFor();
  expect([await picosOf(costs.first())]).toEqual(await chargedPicos(SLOW));
  await tab.getByRole('button', { name: 'Why this cost' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Why this cost: 1 call' });
  const total = dialog.getByRole('table').locator('tfoot data');
  await total.waitFor();
  expect([await picosOf(total)]).toEqual(await chargedPicos(SLOW));
  await tab.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await message().fill('Say something about the mountains.');
  await send().click();
  await tab
    .getByRole('article', { name: 'Agent' })
    .nth(1)
    .getByText(/\w+ \w+/)
    .waitFor();
  await tab.getByRole('button', { name: 'Stop' }).click();
  await costs.nth(1).waitFor();
  expect([await picosOf(costs.first()), await picosOf(costs.nth(1))]).toEqual(await chargedPicos(SLOW));
});

ifThere('a first message that is refused stays, and leaves no conversation behind', async () => {
  const { rows } = await database.pool.query<{ balance: string }>('SELECT FROM agent.sessions');
  await tab.goto('/agents');
  await tab.route('**/api/agents/sessions/*/events', (route) =>
    route.fulfill({ status: 402, json: { error: 'no balance', code: 'insufficient_balance' } }),
  );
  await message().fill('Hello');
  await send().click();
  await tab.getByText('Your balance does not cover this').waitFor();
  expect(await message().inputValue()).toBe('Hello');
  expect((await database.pool.query('SELECT FROM agent.sessions')).rows).toHaveLength(rows.length);
  await tab.unroute('**/api/agents/sessions/*/events');
});

describe('conversations', () => {
  const list = () => tab.getByRole('table', { name: 'Conversations' });
  const row = (name: string) => list().getByRole('row', { name });

  ifThere('are found by a part of their name, on the next page too, in either order', async () => {
    const { rows } = await database.pool.query<{ id: string }>('SELECT account_id AS id FROM agent.sessions');
    await database.pool.query(
      `INSERT INTO agent.sessions (id, public_id, account_id, metadata, created_at)
       SELECT 'sess_' || n, 'made-' || n, $1, json_build_object('title', 'Invoice ' || n), now() + n * interval '1 second'
       FROM generate_series(1, 60) AS n`,
      [rows[0]!.id],
    );
    await tab.goto('/agents');
    await row('Invoice 60').waitFor();
    expect(await list().getByText('Invoice 1', { exact: true }).count()).toBe(0);
    await tab.getByRole('button', { name: 'Show more' }).click();
    await row('about the sea').waitFor();
    await tab.getByRole('searchbox', { name: 'Search' }).fill('invoice 7');
    await row('about the sea').waitFor({ state: 'detached' });
    expect(await list().getByRole('row').count()).toBe(2);
    expect(new URL(tab.url()).searchParams.get('q')).toBe('invoice 7');
    await tab.reload();
    await row('Invoice 7').waitFor();
    await tab.getByRole('searchbox', { name: 'Search' }).fill('nothing of this');
    await tab.getByRole('button', { name: 'Show all conversations' }).click();
    await tab.getByRole('combobox', { name: 'Order' }).click();
    await tab.getByRole('option', { name: 'Oldest first' }).click();
    await row('about the sea').waitFor();
  });

  ifThere('are renamed, and deleted several at once', async () => {
    await tab.goto('/agents?q=Invoice+3');
    await row('Invoice 39').waitFor();
    await tab.getByRole('button', { name: 'Rename Invoice 39' }).click();
    const dialog = tab.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('A bill');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row('Invoice 39').waitFor({ state: 'detached' });
    await tab.getByRole('checkbox', { name: 'Select Invoice 38' }).check();
    await tab.getByRole('button', { name: 'Select all shown' }).click();
    await tab.getByRole('group').getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('Delete 10 conversations?').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await tab.getByText('No conversation matches').waitFor();
    const { rows } = await database.pool.query<{ title: string }>(
      "SELECT metadata ->> 'title' AS title FROM agent.sessions WHERE public_id LIKE 'made-3_' OR public_id = 'made-3'",
    );
    expect(rows).toEqual([{ title: 'A bill' }]);
  });
});

ifThere('a key is edited, the list shows the new limit, and prices stay out of its answers', async () => {
  await tab.goto('/keys');
  const keys = new KeysPage(tab);
  await keys.create('test');
  await keys.confirmKept();
  await tab.getByRole('button', { name: 'Edit the key test' }).click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('production');
  await dialog.getByRole('textbox', { name: 'Limit' }).fill('0.123456789012');
  const tellsPrice = dialog.getByRole('switch', { name: 'Include the cost in answers' });
  expect(await tellsPrice.isChecked()).toBe(true);
  await tellsPrice.click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  const limit = keys.row('production').getByText('$0.123456789012');
  expect(await limit.getAttribute('value')).toBe('0.123456789012');
  await tab.getByRole('button', { name: 'Edit the key production' }).click();
  expect(await tellsPrice.isChecked()).toBe(false);
  await tab.keyboard.press('Escape');
});

/** Only what tells it apart stands at its end. */
const LONG_NAME =
  'The key of the service that writes the summaries of all meetings of our office in eu-west-1';

ifThere('a long name leaves the buttons of its row in sight, and is cut in its middle', async () => {
  const keys = new KeysPage(tab);
  await tab.goto('/keys');
  await keys.create(LONG_NAME);
  await keys.confirmKept();
  const row = keys.row(LONG_NAME);
  const before = tab.viewportSize()!;
  for (const width of [1440, 390]) {
    await tab.setViewportSize({ width, height: 844 });
    for (const button of ['Edit', 'Delete']) {
      const box = (await row.getByRole('button', { name: `${button} the key ${LONG_NAME}` }).boundingBox())!;
      expect(box.x).toBeGreaterThan(0);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
    }
    const name = row.locator(`[title="${LONG_NAME}"]`);
    const [shown, end] = await Promise.all([
      name.boundingBox(),
      name.getByText('eu-west-1').first().boundingBox(),
    ]);
    expect(shown!.height).toBeLessThan(30);
    expect(end!.x + end!.width).toBeLessThanOrEqual(shown!.x + shown!.width + 1);
  }
  await tab.setViewportSize(before);
});

ifThere('on a phone a row is a card with its heading, and unfolds', async () => {
  const before = tab.viewportSize()!;
  await tab.setViewportSize({ width: 390, height: 844 });
  const keys = new KeysPage(tab);
  const cell = (place: string) => keys.row('production').locator(`td[data-place=${place}]`);
  const [title, line] = [await cell('title').boundingBox(), await cell('line').first().boundingBox()];
  expect(line!.y).toBeGreaterThanOrEqual(title!.y + title!.height);
  expect(
    await tab.evaluate<number>('document.querySelector("[role=region]").scrollWidth'),
  ).toBeLessThanOrEqual(390);
  expect(await cell('more').first().isVisible()).toBe(false);
  await keys.row('production').getByRole('button', { name: 'Details' }).click();
  await cell('more').first().waitFor();
  // A screen reader still meets a table.
  expect(await keys.row('production').getByRole('cell').count()).toBeGreaterThan(8);
  await tab.getByRole('columnheader', { name: 'Last 30 days' }).waitFor({ state: 'attached' });
  await tab.setViewportSize(before);
});

ifThere('keys are searched, ordered and paged, and the address says so', async () => {
  const { rows } = await database.pool.query<{ id: string }>('SELECT account_id AS id FROM agent.sessions');
  await database.pool.query(
    `INSERT INTO accounts.api_keys (id, account_id, name, prefix, key_hash, created_at)
     SELECT 'key_made' || n, $1, 'batch ' || n, 'bfvk-made' || n, sha256(convert_to('hash ' || n, 'UTF8')), now() - n * interval '1 day'
     FROM generate_series(1, 40) AS n`,
    [rows[0]!.id],
  );
  const keys = new KeysPage(tab);
  await tab.goto('/keys');
  await keys.row('production').waitFor();
  await tab.getByRole('button', { name: 'Page 2' }).click();
  await keys.row('batch 40').waitFor();
  expect(await keys.row('production').count()).toBe(0);
  await tab.reload();
  await keys.row('batch 40').waitFor();
  await tab.getByRole('searchbox', { name: 'Search' }).fill('BATCH 3');
  await keys.row('batch 40').waitFor({ state: 'detached' });
  // 3, 13, 23 and 30 to 39, below the heading.
  expect(await tab.getByRole('table').getByRole('row').count()).toBe(1 + 13);
  await tab.getByRole('combobox', { name: 'Order' }).click();
  await tab.getByRole('option', { name: 'By name' }).click();
  expect(Object.fromEntries(new URL(tab.url()).searchParams)).toEqual({ q: 'BATCH 3', sort: 'name' });
  await tab.getByRole('table').getByRole('row').nth(2).and(keys.row('batch 13')).waitFor();
});

ifThere('other devices are signed out, and the security log says so', async () => {
  await tab.goto('/settings/sessions');
  const rows = tab.getByRole('table', { name: 'Signed-in devices' }).getByRole('row');
  await rows.getByText('This device').waitFor();
  expect(await rows.count()).toBeGreaterThan(2);
  await tab.getByRole('button', { name: 'Sign out all other devices' }).click();
  await rows.nth(2).waitFor({ state: 'detached' });
  expect(await rows.count()).toBe(2);
  await tab.getByRole('link', { name: 'Security log' }).click();
  await tab.getByText('All other devices signed out').first().waitFor();
});

ifThere(
  'refuses a wrong present password at its field, and sets up an authenticator by QR code',
  async () => {
    await database.pool.query('UPDATE accounts.accounts SET email_verified_at = now()');
    await tab.goto('/settings/security');
    await tab.getByLabel('Current password').first().fill('not the password');
    await tab.getByLabel('New password').first().fill('another password of this test');
    await tab.getByRole('button', { name: 'Change the password' }).click();
    await tab.getByText('Wrong password.').waitFor();
    await tab.getByRole('button', { name: 'Turn on the second factor' }).click();
    await tab.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
    await tab.getByRole('dialog').getByRole('textbox', { name: 'Code' }).fill('000000');
    await tab.getByRole('button', { name: 'Turn on', exact: true }).click();
    await tab.getByText('This code is wrong or has expired.').waitFor();
  },
);
