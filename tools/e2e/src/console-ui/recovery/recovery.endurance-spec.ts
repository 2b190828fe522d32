import { join } from 'node:path';
import { createTestDatabase, publishPrices, type TestDatabase, waitFor } from '@inference/testing';
import { type Browser, type BrowserContext, type Page, type Route } from 'playwright-core';
import { launchChromium } from '../../site/chromium';
import { consoleBody } from '../../site/console-client';
import { createAdmin } from '../../site/create-admin';
import { findProgram } from '../../site/nginx';
import { ROOT, type ServiceProcess } from '../../site/service-process';
import { Site } from '../../site/site';
import { openArea } from '../billing-pages';
import { collectFaults } from '../browser-faults';
import { KeysPage, SignInPage } from '../console-pages';

/** What the pages do when the connection, the session, a service or a file of the pages is gone, in Chromium. */

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const PERSON = { email: 'ann@example.com', password: 'a password of this test' };
const MODEL = 'sandbox-chat';
const OTHER = 'sandbox-mini';
/** Answers in pieces for six seconds, enough to interrupt it. */
const SLOW = 'sandbox-chat+tokens-60+delay-100';
/** Goes on until it is stopped. */
const ENDLESS = 'sandbox-chat+tokens-9000+delay-100';

const chrome = findProgram('chromium');
const ifThere = chrome ? it : it.skip;

let database: TestDatabase;
let site: Site;
let consoleService: ServiceProcess;
let browser: Browser | undefined;
let context: BrowserContext;
let tab: Page;
let faults: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  await publishPrices(
    database.pool,
    [MODEL, OTHER, SLOW, ENDLESS].flatMap((slug) => [
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
  await createAdmin(database.urlFor('console'), 'intl', PERSON);
  const { url } = consoleService;
  const { token, user } = await consoleBody<{ token: string; user: { id: string } }>(
    url,
    'POST',
    '/api/auth/login',
    { json: { identifier: PERSON.email, password: PERSON.password } },
  );
  const json = { account_id: user.id, amount: 25, description: 'Credit' };
  await consoleBody(url, 'POST', '/api/admin/billing/adjustments', { token, json, status: 201 });
  if (!chrome) return;
  browser = await launchChromium(chrome);
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await database?.drop();
});
beforeEach(async () => {
  if (!browser) return;
  context = await browser.newContext({ baseURL: consoleService.url, locale: 'en-US' });
  await context.clock.install();
  tab = await context.newPage();
  faults = collectFaults(tab, [new URL(consoleService.url).origin]);
  await tab.goto('/sign-in');
  await new SignInPage(tab).signIn(PERSON);
  await heading('Overview').waitFor();
});
afterEach(async () => {
  if (!browser) return;
  await context.close();
  expect(faults).toEqual([]);
});

const heading = (name: string) => tab.getByRole('heading', { name, level: 1 });
const message = () => tab.getByRole('textbox', { name: 'Your message' });
const send = () => tab.getByRole('button', { name: 'Send', exact: true });
const stop = () => tab.getByRole('button', { name: 'Stop' });
const answerOf = (model: string) => tab.getByRole('article', { name: `Answer of ${model}`, exact: true });
const agentSays = () => tab.getByRole('article', { name: 'Agent' });

async function choose(field: string, option: string): Promise<void> {
  await tab.getByRole('combobox', { name: field }).click();
  // In the playground, prices stand beside the names of models.
  await tab
    .getByRole('option')
    .filter({ has: tab.getByText(option, { exact: true }) })
    .click();
}

async function beginConversation(fields: { model: string; tools?: string }): Promise<void> {
  await tab.goto('/agents');
  await choose('Model', fields.model);
  if (!fields.tools) return;
  await tab.getByRole('main').getByRole('button', { name: 'More' }).click();
  await tab.getByRole('textbox', { name: 'Tools' }).fill(fields.tools);
}

/** The newest answer of an agent as it is stored, once its turn has ended. */
const storedAnswer = () =>
  waitFor(async () => {
    const { rows } = await database.pool.query<{ content: string }>(
      `SELECT e.content FROM agent.events e WHERE e.role = 'assistant' ORDER BY e.created_at DESC LIMIT 1`,
    );
    return rows[0]?.content.trim();
  });

/** Offline, Chromium refuses new connections only; a restart of the console ends those that are open. */
async function loseConnection(): Promise<void> {
  await context.setOffline(true);
  await tab
    .getByText(/^You are offline[.]/)
    .first()
    .waitFor();
  await consoleService.kill();
  await consoleService.start();
}

ifThere('a turn of an agent goes on after a minute offline, with every character once', async () => {
  await beginConversation({ model: SLOW });
  await message().fill('Say something about the sea.');
  await send().click();
  await agentSays()
    .getByText(/\w+ \w+/)
    .waitFor();
  await message().fill('typed while offline');
  await loseConnection();
  const complete = await storedAnswer();
  await context.clock.runFor(MINUTE);
  await context.setOffline(false);
  await context.clock.runFor(MINUTE);
  await stop().waitFor({ state: 'detached' });
  expect((await agentSays().innerText()).replace(/^Agent\s+/, '')).toBe(complete);
  expect(await message().inputValue()).toBe('typed while offline');
});

ifThere('the playground keeps what was said and typed through a minute offline', async () => {
  await tab.goto('/playground');
  await choose('Model', ENDLESS);
  await message().fill('Say something about the sea.');
  await send().click();
  await answerOf(ENDLESS)
    .getByText(/\w+ \w+/)
    .waitFor();
  await message().fill('typed while offline');
  await loseConnection();
  await context.clock.runFor(MINUTE);
  await tab.getByText('The service cannot be reached').waitFor();
  await context.setOffline(false);
  await tab.getByRole('button', { name: 'Try again' }).click();
  await stop().click();
  await tab.getByRole('log').getByText('Say something about the sea.').waitFor();
  expect(await message().inputValue()).toBe('typed while offline');
});

ifThere('compares two models, stops both, and keeps their answers over a reload', async () => {
  await tab.goto('/playground');
  await tab.getByRole('button', { name: 'Compare two models' }).click();
  await choose('Left model', ENDLESS);
  await choose('Right model', SLOW);
  await message().fill('Say something about the sea.');
  await send().click();
  for (const model of [ENDLESS, SLOW])
    await answerOf(model)
      .getByText(/\w+ \w+/)
      .waitFor();
  await stop().click();
  await tab.getByText('Stopped').nth(1).waitFor();
  const said = await answerOf(ENDLESS).locator('p').nth(1).innerText();
  await tab.reload();
  await answerOf(ENDLESS).getByText(said, { exact: true }).waitFor();
  await answerOf(SLOW).getByText('Stopped').waitFor();
});

ifThere('posts the result of a tool, and cancels an answer', async () => {
  const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
  await beginConversation({ model: MODEL, tools: JSON.stringify(tools) });
  await message().fill('Use the tool.');
  await send().click();
  await tab.getByRole('textbox', { name: 'Result of weather' }).fill('{"sky":"blue"}');
  await tab.getByRole('button', { name: 'Send results' }).click();
  await tab.getByRole('article', { name: 'Tool result' }).getByText('{"sky":"blue"}').waitFor();
  await agentSays().nth(1).waitFor();
  await beginConversation({ model: ENDLESS });
  await message().fill('Say something about the sea.');
  await send().click();
  await agentSays()
    .getByText(/\w+ \w+/)
    .waitFor();
  await stop().click();
  await tab.getByText('You stopped the answer.').waitFor();
});

ifThere('two tabs beyond the life of their token refresh it once', async () => {
  const other = await context.newPage();
  await other.goto('/keys');
  await new KeysPage(other).heading().waitFor();
  let refreshes = 0;
  // The clock of the tabs is put forward; the service's time has to follow.
  await context.route('**/api/auth/refresh', async (route) => {
    refreshes += 1;
    const response = await route.fetch();
    const answer = (await response.json()) as { expires_at: string };
    const expiresAt = new Date(Date.parse(answer.expires_at) + DAY).toISOString();
    await route.fulfill({ response, json: { ...answer, expires_at: expiresAt } });
  });
  await context.clock.fastForward(DAY);
  await waitFor(() => refreshes > 0);
  // Both ask the console again, with the new token.
  await openArea(tab, 'Transactions');
  await openArea(other, 'Payments');
  await heading('Transactions').waitFor();
  await other.getByRole('heading', { name: 'No payments yet' }).waitFor();
  expect(refreshes).toBe(1);
});

ifThere('a sign-out reaches all tabs', async () => {
  const other = await context.newPage();
  await other.goto('/keys');
  await new KeysPage(other).heading().waitFor();
  await tab.getByRole('button', { name: 'Account' }).click();
  await tab.getByRole('menuitem', { name: 'Sign out' }).click();
  await other.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
  await new SignInPage(other).signIn(PERSON);
  await new KeysPage(other).heading().waitFor();
});

/** Answers the first call of an address in place of the service. */
async function failOnce(address: string, answer: Parameters<Route['fulfill']>[0]): Promise<void> {
  await tab.route(address, (route) => route.fulfill({ json: { error: 'not now' }, ...answer }), {
    times: 1,
  });
}

ifThere('a busy and an absent service are told with their wait, and the prompt is asked again', async () => {
  await tab.goto('/playground');
  await choose('Model', MODEL);
  const calls = '**/api/playground/chat/completions';
  await failOnce(calls, { status: 429, headers: { 'Retry-After': '7' } });
  await message().fill('Say something about the sea.');
  await send().click();
  await tab.getByText('Too many requests. Try again in 7 seconds.').waitFor();
  await failOnce(calls, { status: 503 });
  await tab.getByRole('button', { name: 'Try again' }).click();
  await tab.getByText('The service is not available at the moment.').waitFor();
  await failOnce(calls, { status: 402 });
  await tab.getByRole('button', { name: 'Try again' }).click();
  await tab.getByText('Your balance does not cover this.').waitFor();
  expect(await tab.getByRole('alert').getByRole('link', { name: 'Top up' }).getAttribute('href')).toBe(
    '/top-up',
  );
  await tab.getByRole('button', { name: 'Try again' }).click();
  await answerOf(MODEL).getByText(/^Cost/).waitFor();
  await tab.getByRole('log').getByText('Say something about the sea.').waitFor();
});

ifThere('the form of a key keeps its fields while the service is busy or absent', async () => {
  await openArea(tab, 'API keys');
  await tab.getByRole('button', { name: 'Create a key' }).first().click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('production');
  await dialog.getByRole('textbox', { name: 'Limit' }).fill('12.5');
  const submit = dialog.getByRole('button', { name: 'Create the key' });
  await failOnce('**/api/api-keys', { status: 429, headers: { 'Retry-After': '3' } });
  await submit.click();
  await dialog.getByText('Try again in 3 seconds.').waitFor();
  await failOnce('**/api/api-keys', { status: 503 });
  await submit.click();
  await dialog.getByText('The service is not available at the moment.').waitFor();
  await submit.click();
  await dialog.getByLabel('Secret of the key').waitFor();
  const keys = new KeysPage(tab);
  await keys.confirmKept();
  await keys.row('production').getByText('$12.50').waitFor();
});

ifThere('a page that is not loaded yet opens by itself when the connection is back', async () => {
  await context.setOffline(true);
  await openArea(tab, 'API keys');
  await heading('You are offline').waitFor();
  await tab.getByText('This page opens as soon as you are back online.').waitFor();
  await context.setOffline(false);
  await new KeysPage(tab).heading().waitFor();
});

/** Answers 404 for a file of the pages until a number of documents is loaded. Returns a count of these. */
async function removeFile(name: string, documents = 1): Promise<{ documents: number }> {
  const what = { documents: 0 };
  tab.on('request', (request) => {
    if (request.isNavigationRequest()) what.documents += 1;
  });
  await context.route(new RegExp(`/assets/${name}-.*\\.js$`), (route) => {
    return what.documents < documents ? route.fulfill({ status: 404, body: '' }) : route.fallback();
  });
  return what;
}

ifThere('a page whose file a new deployment has removed loads the document anew, once', async () => {
  await openArea(tab, 'Playground');
  await message().fill('typed before the deployment');
  const what = await removeFile('keys-page');
  const reached = tab.waitForResponse('**/config.json');
  await tab.getByRole('link', { name: 'API keys', exact: true }).hover();
  await reached;
  // Time for what must not happen: the document would be loaded anew before the next frame but one.
  await tab.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  expect(what.documents).toBe(0);
  await message().fill('typed after a look at the link');
  await openArea(tab, 'API keys');
  await new KeysPage(tab).heading().waitFor();
  expect(what.documents).toBe(1);
  await openArea(tab, 'Playground');
  expect(await message().inputValue()).toBe('typed after a look at the link');
  await context.unrouteAll();
});

ifThere('a part of the frame whose file is missing loads the document anew, once', async () => {
  const what = await removeFile('activity-tray', 2);
  await tab.goto('/overview');
  await tab.getByRole('button', { name: /^Activities/ }).waitFor();
  expect(what.documents).toBe(2);
  await context.unrouteAll();
});

ifThere('a page whose file stays missing ends in an error, not in a loop', async () => {
  let documents = 0;
  tab.on('request', (request) => {
    if (request.isNavigationRequest()) documents += 1;
  });
  await context.route(/\/assets\/keys-page-.*\.js$/, (route) => route.fulfill({ status: 404, body: '' }));
  await openArea(tab, 'API keys');
  await heading('This page could not be shown').waitFor();
  expect(documents).toBe(1);
  await context.unrouteAll();
  await tab.getByRole('button', { name: 'Reload' }).click();
  await new KeysPage(tab).heading().waitFor();
});

ifThere('a part of a page whose file is missing loads the document anew, once', async () => {
  await publishPrices(
    database.pool,
    [MODEL, ...Array.from({ length: 250 }, (_, n) => `model-${n}`)].flatMap((slug) => [
      { slug, unit: 'per_million_input_tokens' as const, ratePicos: 150_001n },
      { slug, unit: 'per_million_output_tokens' as const, ratePicos: 599_999n },
    ]),
  );
  let asked = 0;
  await context.route(/\/assets\/rows-in-sight-.*\.js$/, (route) => {
    asked += 1;
    return asked === 1 ? route.fulfill({ status: 404, body: '' }) : route.fallback();
  });
  await tab.goto('/pricing');
  await tab
    .getByRole('cell', { name: /^model-/ })
    .first()
    .waitFor();
  expect(asked).toBe(2);
  await context.unrouteAll();
});

ifThere('a sign-out without a connection is told, and made up for', async () => {
  await tab.getByRole('button', { name: 'Account' }).click();
  await context.setOffline(true);
  await tab.getByRole('menuitem', { name: 'Sign out' }).click();
  await tab.getByText('You are signed out here, but not yet at the service').waitFor();
  const openSessions = async () =>
    (await database.pool.query('SELECT FROM accounts.sessions WHERE ended_at IS NULL AND expires_at > now()'))
      .rows.length;
  const before = await openSessions();
  await context.setOffline(false);
  await tab.getByText('You are signed out here, but not yet at the service').waitFor({ state: 'detached' });
  expect(await openSessions()).toBe(before - 1);
  expect((await context.cookies()).filter(({ name }) => /session|refresh/.test(name))).toEqual([]);
});

ifThere('a menu whose file is missing leaves the page with what was typed', async () => {
  await openArea(tab, 'Settings');
  await tab.getByRole('link', { name: 'Security', exact: true }).click();
  const field = tab.getByLabel('New password').first();
  await field.fill('typed before the deployment');
  await context.route(/\/assets\/preferences-menu-.*\.js$/, (route) =>
    route.fulfill({ status: 404, body: '' }),
  );
  await tab.getByRole('button', { name: 'Language, colours and time zone' }).click();
  await tab.getByRole('button', { name: 'Reload' }).waitFor();
  expect(await field.inputValue()).toBe('typed before the deployment');
});
