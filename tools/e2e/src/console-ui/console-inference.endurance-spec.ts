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

/** Settings, API keys, playground and agents in Chromium, against real services and the sandbox engine. */

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

ifThere(
  'an empty wallet is refused without losing the prompt, which is asked again after a credit',
  async () => {
    await tab.goto('/playground');
    await message().fill('What is a ledger?');
    await tab.getByText('Costs at most').waitFor();
    await send().click();
    await tab.getByText('Your balance does not cover this').waitFor();
    await tab.getByRole('log').getByText('What is a ledger?').waitFor();
    await addCredit();
    await tab.getByRole('button', { name: 'Try again' }).click();
    const answer = tab.getByRole('article', { name: `Answer of ${MODEL}` });
    const cost = answer.getByText(/^Cost/).locator('data');
    await cost.waitFor();
    expect([await picosOf(cost)]).toEqual(await chargedPicos(MODEL));
  },
);

ifThere('a reload keeps the conversation and what is typed, and no key is in the page', async () => {
  await message().fill('typed and not sent');
  await tab.reload();
  await tab.getByRole('log').getByText('What is a ledger?').waitFor();
  expect(await message().inputValue()).toBe('typed and not sent');
  await tab.getByRole('button', { name: 'As code' }).click();
  await tab.getByRole('dialog').getByText('$API_KEY').waitFor();
  await tab.keyboard.press('Escape');
});

ifThere('a turn of an agent is taken up after a reload, with every character once', async () => {
  await tab.goto('/agents');
  await tab.getByRole('button', { name: 'New conversation' }).click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('slow');
  await dialog.getByRole('combobox', { name: 'Model' }).click();
  await tab.getByRole('option', { name: SLOW }).click();
  await dialog.getByRole('button', { name: 'Begin' }).click();
  await message().fill('Say something about the sea.');
  await send().click();
  const growing = tab.getByRole('article', { name: 'Agent' });
  await growing.getByText(/\w+ \w+/).waitFor();
  await tab.reload();
  await growing.getByText(/\w+ \w+/).waitFor();
  const lastSeen = async () => (await growing.innerText()).replace(/^Agent\s+/, '');
  await tab.getByRole('log', { name: 'Conversation' }).and(tab.locator('[aria-busy=false]')).waitFor();
  await tab.getByRole('button', { name: 'Cancel the answer' }).waitFor({ state: 'detached' });
  const { rows } = await database.pool.query<{ content: string }>(
    "SELECT content FROM agent.events WHERE role = 'assistant'",
  );
  expect(rows).toHaveLength(1);
  expect(await lastSeen()).toBe(rows[0]!.content.trim());
});

ifThere('the palette finds the agent session', async () => {
  await tab.goto('/overview');
  await findInPalette(tab, 'slow');
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
  await tab.getByRole('button', { name: 'Cancel the answer' }).click();
  await costs.nth(1).waitFor();
  expect([await picosOf(costs.first()), await picosOf(costs.nth(1))]).toEqual(await chargedPicos(SLOW));
});

ifThere('a key is edited, and the list shows the new limit', async () => {
  await tab.goto('/keys');
  const keys = new KeysPage(tab);
  await keys.create('test');
  await keys.confirmKept();
  await tab.getByRole('button', { name: 'Edit the key test' }).click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('production');
  await dialog.getByRole('textbox', { name: 'Limit' }).fill('0.123456789012');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const limit = keys.row('production').getByText('$0.123456789012');
  expect(await limit.getAttribute('value')).toBe('0.123456789012');
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
