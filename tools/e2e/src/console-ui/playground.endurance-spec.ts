import { join } from 'node:path';
import { createTestDatabase, publishPrices, type TestDatabase, waitFor } from '@inference/testing';
import { type Browser, type Locator, type Page } from 'playwright-core';
import { launchChromium } from '../site/chromium';
import { consoleBody } from '../site/console-client';
import { createAdmin } from '../site/create-admin';
import { findProgram } from '../site/nginx';
import { ROOT, type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';
import { openArea } from './billing-pages';
import { collectFaults } from './browser-faults';
import { RegisterPage, SignInPage } from './console-pages';
import { bodiesDuring, picosOf, type SentBody } from './playground-pages';

/** The playground in Chromium, against real services and the sandbox engine. */

const ADMIN = { email: 'admin@example.com', password: 'admin password of this test' };
const PERSON = { email: 'ann@example.com', password: 'a password of this test' };
const MODEL = 'sandbox-chat';
const OTHER = 'sandbox-mini';
/** A picture of one pixel. */
const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

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
    [MODEL, OTHER].flatMap((slug) => [
      { slug, unit: 'per_million_input_tokens' as const, ratePicos: 150_001n },
      { slug, unit: 'per_million_output_tokens' as const, ratePicos: 599_999n },
    ]),
  );
  site = new Site(database);
  const gateway = await site.startGateway(await site.startEngine());
  consoleService = await site.startConsole({
    CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
    GATEWAY_URL: gateway.url,
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

ifThere(
  'an empty wallet is refused without losing the prompt, which is asked again after a credit',
  async () => {
    await tab.goto('/playground');
    await message().fill('What is a ledger?');
    await tab.getByText('At most').waitFor();
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
  await tab.getByRole('button', { name: 'View code' }).click();
  await tab.getByRole('dialog').getByText('$API_KEY').waitFor();
  await tab.keyboard.press('Escape');
});

const answers = () => tab.getByRole('article');
const costs = () => answers().getByText(/^Cost/).locator('data');
const log = () => tab.getByRole('log', { name: 'Conversation' });
/** Asks and waits until the costs of all answers are shown. */
async function ask(text: string, answersAfter: number): Promise<SentBody[]> {
  return bodiesDuring(tab, async () => {
    await message().fill(text);
    await send().click();
    await costs()
      .nth(answersAfter - 1)
      .waitFor();
  });
}
const newChat = () => tab.getByRole('button', { name: 'New conversation', exact: true }).click();
async function choose(label: string, model: string): Promise<void> {
  await tab.getByRole('combobox', { name: label }).click();
  await tab.getByRole('option', { name: model }).first().click();
}
/** Waits until the history has the open conversation, and returns its id. */
async function savedId(): Promise<string> {
  await tab.waitForURL(/conversation=chat_/);
  return new URL(tab.url()).searchParams.get('conversation')!;
}

ifThere('under an answer stand its speed, and the way to its request', async () => {
  await newChat();
  await ask('What is a wallet?', 1);
  await answers()
    .getByText(/^First token after [\d.]+ s$/)
    .waitFor();
  await answers()
    .getByText(/^[\d.,]+ tokens\/s$/)
    .waitFor();
  const request = await answers().getByRole('link', { name: 'Request details' }).getAttribute('href');
  const { rows } = await database.pool.query<{ request_id: string }>(
    'SELECT request_id FROM metering.usage_events ORDER BY occurred_at DESC LIMIT 1',
  );
  expect(request).toBe(`/requests/${rows[0]!.request_id}`);
});

ifThere('a changed message is asked anew without what followed, and messages can be deleted', async () => {
  await ask('And a ledger?', 2);
  await log().getByRole('button', { name: 'Edit the message' }).first().click();
  await tab.getByRole('textbox', { name: 'Edit the message' }).fill('What is a receipt?');
  const [body] = await bodiesDuring(tab, async () => {
    await log().getByRole('button', { name: 'Send', exact: true }).click();
    await log().getByText('What is a wallet?').waitFor({ state: 'detached' });
    await costs().first().waitFor();
  });
  expect(body!.messages).toEqual([{ role: 'user', content: 'What is a receipt?' }]);
  expect(await answers().count()).toBe(1);
  const [again] = await bodiesDuring(tab, async () => {
    await answers().getByRole('button', { name: 'Regenerate' }).click();
    await costs().first().waitFor();
  });
  expect(again).toEqual(body);
  await answers().getByRole('button', { name: 'Delete the answer' }).click();
  await answers().getByText('No answer').waitFor();
  await log().getByRole('button', { name: 'Delete the message' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await answers().waitFor({ state: 'detached' });
});

ifThere('two models get the same messages, and one alone can be asked again', async () => {
  await newChat();
  await tab.getByRole('button', { name: 'Compare two models' }).click();
  await choose('Left model', MODEL);
  await choose('Right model', OTHER);
  await ask('What is a ledger?', 2);
  const [first, second] = await ask('And a wallet?', 4);
  const users = ({ messages }: SentBody) => messages.filter(({ role }) => role === 'user');
  expect(users(first!)).toEqual(users(second!));
  expect([first!, second!].map(({ messages }) => messages.map(({ role }) => role))).toEqual(
    Array(2).fill(['user', 'assistant', 'user']),
  );
  expect(first!.messages[1]).not.toEqual(second!.messages[1]);
  const bodies = await bodiesDuring(tab, async () => {
    await answers().nth(3).getByRole('button', { name: 'Regenerate' }).click();
    await costs().nth(3).waitFor();
  });
  expect(bodies).toEqual([second]);
  await tab.getByRole('button', { name: 'Use one model' }).click();
});

ifThere('every parameter is sent, and the code shows what was sent', async () => {
  await newChat();
  const field = (name: string) => tab.getByRole('textbox', { name, exact: true });
  await field('System prompt').fill('Be brief.');
  await field('Temperature').fill('0.70');
  await field('Top P').fill('1.5');
  await tab.getByText('Enter a number from 0 to 1').waitFor();
  await message().fill('What is a ledger?');
  expect(await send().isDisabled()).toBe(true);
  await field('Top P').fill('0.9');
  await field('Stop sequences').fill('END\n\\n\\n');
  await field('Seed').fill('42');
  await field('Max tokens').fill('512');
  await tab.getByRole('combobox', { name: 'Response format' }).click();
  await tab.getByRole('option', { name: 'JSON schema' }).click();
  await tab.getByRole('button', { name: 'Insert an example for JSON schema' }).click();
  await tab.getByRole('button', { name: 'Insert an example for Tools' }).click();
  const [body] = await ask('What is a ledger?', 1);
  const { stream: _stream, stream_options: _options, ...sent } = body!;
  expect(sent).toMatchObject({
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'What is a ledger?' },
    ],
    temperature: 0.7,
    top_p: 0.9,
    stop: ['END', '\n\n'],
    seed: 42,
    max_tokens: 512,
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
    tools: [{ type: 'function', function: { name: 'get_weather' } }],
  });
  await tab.getByRole('button', { name: 'View code' }).click();
  const code = await tab.getByRole('dialog').locator('pre').first().innerText();
  expect(JSON.parse(/-d '(.*)'$/s.exec(code)![1]!)).toEqual(sent);
  await tab.keyboard.press('Escape');
});

ifThere('the model calls a tool, and goes on with the result that the person enters', async () => {
  await message().fill('Use the tool, please.');
  await send().click();
  const call = answers().getByRole('region', { name: 'The model calls get_weather' });
  await call.getByText('"city"').waitFor();
  expect(await send().isDisabled()).toBe(true);
  await call.getByRole('textbox', { name: 'Result' }).fill('21 degrees');
  const [body] = await bodiesDuring(tab, async () => {
    await answers().getByRole('button', { name: 'Send the results' }).click();
    await costs().nth(2).waitFor();
  });
  const [asking, result] = body!.messages.slice(-2);
  expect(asking).toMatchObject({ role: 'assistant', tool_calls: [{ function: { name: 'get_weather' } }] });
  expect(result).toMatchObject({ role: 'tool', content: '21 degrees' });
});

ifThere('a picture is attached, sent and kept', async () => {
  await newChat();
  await tab.locator('input[type=file]').setInputFiles({
    name: 'dot.png',
    mimeType: 'image/png',
    buffer: Buffer.from(DOT, 'base64'),
  });
  await tab.getByRole('img', { name: 'dot.png' }).waitFor();
  await tab.locator('input[type=file]').setInputFiles({
    name: 'notes.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('notes'),
  });
  await tab.getByText('Only PNG, JPEG, WebP and GIF').waitFor();
  const [body] = await bodiesDuring(tab, async () => {
    await message().fill('What is it?');
    await send().click();
    await log().getByRole('img', { name: 'dot.png' }).waitFor();
    await tab.getByRole('button', { name: 'Regenerate' }).and(tab.locator(':enabled')).waitFor();
  });
  expect(body!.messages.at(-1)!.content).toEqual([
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${DOT}` } },
  ]);
  const id = await savedId();
  await newChat();
  await tab.goto(`/playground?conversation=${id}`);
  await log().getByRole('img', { name: 'dot.png' }).waitFor();
});

ifThere('a preset keeps the settings', async () => {
  await newChat();
  const temperature = tab.getByRole('textbox', { name: 'Temperature' });
  const savePreset = async (name: string) => {
    await tab.getByRole('button', { name: 'Save as preset' }).click();
    await tab.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill(name);
    await tab.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  };
  await temperature.fill('0.3');
  await savePreset('Careful');
  await tab.getByRole('dialog').waitFor({ state: 'detached' });
  await temperature.fill('1.9');
  await savePreset('Careful');
  await tab.getByText('You already have a preset with this name.').waitFor();
  await tab.keyboard.press('Escape');
  await tab.reload();
  await choose('Preset', 'Careful');
  expect(await temperature.inputValue()).toBe('0.3');
  await tab.getByRole('button', { name: 'Delete “Careful”' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await tab.getByPlaceholder('No presets yet').waitFor();
});

ifThere('a conversation is found in the history, renamed, and deleted', async () => {
  await newChat();
  await ask('How do whales sleep?', 1);
  const id = await savedId();
  await newChat();
  await tab.getByRole('button', { name: 'History' }).click();
  const history = tab.getByRole('dialog', { name: 'History' });
  await history.getByRole('textbox', { name: 'Search by title' }).fill('WHALES');
  await history.getByRole('link').nth(1).waitFor({ state: 'detached' });
  await history.getByRole('button', { name: 'Rename How do whales sleep?' }).click();
  await tab.getByRole('textbox', { name: 'Title', exact: true }).fill('About whales');
  await tab.getByRole('button', { name: 'Save', exact: true }).click();
  await history.getByRole('link', { name: 'About whales' }).click();
  await log().getByText('How do whales sleep?').waitFor();
  expect(await savedId()).toBe(id);
  await tab.getByRole('button', { name: 'History' }).click();
  await history.getByRole('button', { name: 'Delete About whales' }).click();
  await tab
    .getByRole('dialog', { name: 'Delete this conversation?' })
    .getByRole('button', { name: 'Delete' })
    .click();
  await log().waitFor({ state: 'detached' });
  await tab.keyboard.press('Escape');
  await tab.goto(`/playground?conversation=${id}`);
  await tab.getByText('This conversation does not exist').waitFor();
});

ifThere('what another tab has added is not overwritten', async () => {
  await newChat();
  await ask('How old is the sun?', 1);
  const id = await savedId();
  const second = await tab.context().newPage();
  await second.goto(`/playground?conversation=${id}`);
  await second.getByRole('log').getByText('How old is the sun?').waitFor();
  await ask('And the moon?', 2);
  await waitFor(async () => {
    const { rows } = await database.pool.query<{ revision: number }>(
      'SELECT revision FROM playground.conversations WHERE id = $1',
      [id],
    );
    return rows[0]!.revision === 2;
  });
  await second.getByRole('textbox', { name: 'Your message' }).fill('And the earth?');
  await second.getByRole('button', { name: 'Send', exact: true }).click();
  await second.getByText(/^This conversation was continued in another tab/).waitFor();
  await second.getByRole('button', { name: 'Load the newer version' }).click();
  await second.getByRole('log').getByText('And the moon?').waitFor();
  expect(await second.getByRole('log').getByText('And the earth?').count()).toBe(0);
  expect(await savedWith('And the earth?')).toHaveLength(1);
  await second.getByRole('textbox', { name: 'Your message' }).fill('And the stars?');
  await second.getByRole('button', { name: 'Send', exact: true }).click();
  await waitFor(async () => (await savedWith('And the stars?')).includes(id));
  await ask('And the comets?', 3);
  await tab.getByRole('button', { name: 'Continue as a new conversation' }).click();
  await tab.waitForURL((url) => ![null, id].includes(url.searchParams.get('conversation')));
  expect(await savedWith('And the comets?')).toEqual([await savedId()]);
  expect(await savedWith('And the stars?')).toEqual([id]);
  await second.close();
});

/** The ids of the conversations of the history that hold the text. */
async function savedWith(text: string): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>(
    'SELECT id FROM playground.conversations WHERE strpos(content, $1) > 0',
    [text],
  );
  return rows.map(({ id }) => id);
}

ifThere('a conversation that was deleted elsewhere leaves the address, and goes on', async () => {
  await newChat();
  await ask('How deep is the sea?', 1);
  await database.pool.query('DELETE FROM playground.conversations WHERE id = $1', [await savedId()]);
  await ask('And the lake?', 2);
  await tab.waitForURL((url) => !url.searchParams.has('conversation'));
  await ask('And the pond?', 3);
  const id = await savedId();
  expect(await savedWith('And the pond?')).toEqual([id]);
  await tab.reload();
  await log().getByText('How deep is the sea?').waitFor();
});

ifThere('a conversation that is left while it is saved first has one entry', async () => {
  await newChat();
  let release = () => undefined as void;
  const isReleased = new Promise<void>((resolve) => (release = resolve));
  const entries = '**/api/playground/conversations';
  await tab.route(entries, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    const answer = await route.fetch();
    await isReleased;
    await route.fulfill({ response: answer }).catch(() => undefined);
  });
  await ask('How high is the sky?', 1);
  await waitFor(async () => (await savedWith('How high is the sky?')).length > 0);
  await openArea(tab, 'API keys');
  await tab.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
  release();
  await tab.unroute(entries);
  await tab.goBack();
  const id = await savedId();
  expect(await savedWith('How high is the sky?')).toEqual([id]);
  await ask('And the roof?', 2);
  await waitFor(async () => (await savedWith('And the roof?')).includes(id));
  expect(await savedWith('How high is the sky?')).toEqual([id]);
});

ifThere('the link of a conversation opens it for its account only', async () => {
  const id = await savedId();
  const context = await browser!.newContext({ baseURL: consoleService.url, locale: 'en-US' });
  const other = await context.newPage();
  await other.goto(`/sign-in?next=${encodeURIComponent(`/playground?conversation=${id}`)}`);
  await new SignInPage(other).signIn(ADMIN);
  await other.getByText('This conversation does not exist, or belongs to another account.').waitFor();
  expect(await other.getByText('How old is the sun?').count()).toBe(0);
  await context.close();
});

ifThere('nothing is saved if the account wants so', async () => {
  await newChat();
  const saved = async () => {
    const { rows } = await database.pool.query('SELECT id FROM playground.conversations');
    return rows.length;
  };
  const before = await saved();
  const setting = tab.getByRole('switch', { name: 'Do not save conversations' });
  await setting.check();
  await ask('A secret question', 1);
  // Longer than a conversation waits to be saved.
  await tab.waitForTimeout(1_500);
  expect([await saved(), new URL(tab.url()).search]).toEqual([before, '']);
  await setting.uncheck();
  await savedId();
  expect(await saved()).toBe(before + 1);
});

ifThere('a link from a model opens the playground with it', async () => {
  await tab.goto(`/playground?model=${OTHER}`);
  const model = tab.getByRole('combobox', { name: 'Model' });
  await waitFor(async () => (await model.inputValue()).startsWith(OTHER));
  await tab.waitForURL((url) => !url.searchParams.has('model'));
});

ifThere('the composer is on the first screen of a phone, and the settings are a drawer', async () => {
  const context = await browser!.newContext({
    baseURL: consoleService.url,
    locale: 'en-US',
    viewport: { width: 390, height: 664 },
  });
  const phone = await context.newPage();
  await phone.goto('/sign-in?next=/playground');
  const composer = phone.getByRole('textbox', { name: 'Your message' });
  await new SignInPage(phone).signIn(PERSON);
  const isInSight = async (target: Locator) => {
    const box = (await target.boundingBox())!;
    return box.y >= 0 && box.y + box.height <= 664;
  };
  await composer.waitFor();
  expect([await isInSight(composer), await isInSight(phone.getByRole('button', { name: 'Send' }))]).toEqual([
    true,
    true,
  ]);
  await phone.getByRole('button', { name: /^Change the model/ }).click();
  await phone.getByRole('dialog', { name: 'Settings' }).getByRole('combobox', { name: 'Model' }).waitFor();
  await phone.keyboard.press('Escape');
  await composer.fill('A long question. '.repeat(100));
  await phone.getByRole('button', { name: 'Send' }).click();
  await phone.getByText(/^Cost/).waitFor();
  expect(await isInSight(composer)).toBe(true);
  const region = `document.querySelector('[role=log]').parentElement`;
  const distance = () =>
    phone.evaluate<number>(
      `(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(${region})`,
    );
  await waitFor(async () => (await distance()) < 2);
  await phone.evaluate(`${region}.scrollTo(0, 0)`);
  await phone.getByRole('button', { name: 'Jump to latest' }).click();
  await waitFor(async () => (await distance()) < 2);
  await context.close();
});
