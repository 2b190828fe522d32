import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SandboxPayments } from '@inference/sandbox-payments';
import {
  createTestDatabase,
  findFreePort,
  publishPrices,
  ScriptedModel,
  type TestDatabase,
} from '@inference/testing';
import { type Browser, type Locator, type Page } from 'playwright-core';
import { launchChromium } from '../../site/chromium';
import { findProgram } from '../../site/nginx';
import { ROOT } from '../../site/service-process';
import { Site } from '../../site/site';
import { openArea } from '../billing-pages';
import { collectFaults } from '../browser-faults';
import { RegisterPage } from '../console-pages';
import { picosOf } from '../playground-pages';
import { mailedToken } from '../public/public-pages';
import { WorkspacePage } from '../workspaces/workspace-pages';

/** From an empty wallet to answers in Markdown, in Chromium, against real services, a scripted model and the sandbox of payments. */

const PERSON = { email: 'ann@example.com', password: 'a password of this test' };
const NEWCOMER = { email: 'bob@example.com', password: 'another password of this test' };
const LATECOMER = { email: 'cleo@example.com', password: 'a third password of this test' };
const MODEL = 'markdown-writer';
/** An answer of it may cost more than the least payment. */
const DEAR_MODEL = 'dear-writer';
const RATES_PICOS = { [MODEL]: 150_001n, [DEAR_MODEL]: 100_000_000_001n };
const START_CREDIT = '0.75';
const START_CREDIT_PICOS = 750_000_000_000n;

const CODE = 'def area(radius):\n    """Of a circle."""\n    return 3.14 * radius ** 2\n';
const BEGINNING = `## Area of a circle

The area **grows** with the square of the radius:

1. measure the radius $r$
2. square it

| Radius | Area |
|--------|-----:|
| 1 | 3.14 |
| 2 | 12.56 |

`;
const REST = `$$A = \\frac{\\pi d^2}{4}$$

\`\`\`python
${CODE}\`\`\`

<img src="/nothing.png" onerror="window.executed = 'image'"><script>window.executed = 'script'</script>

[Run me](javascript:window.executed='link') or [read more](https://example.com/circles).

- a list
- with *two* entries
`;
const PIECE_CHARACTERS = 6;
const PIECE_MILLIS = 30;

const chrome = findProgram('chromium');
const ifThere = chrome ? it : it.skip;
const mails = mkdtempSync(join(tmpdir(), 'mails-'));

let database: TestDatabase;
let payments: SandboxPayments;
let model: ScriptedModel;
let site: Site;
let consoleUrl: string;
let memoUrl: string;
let browser: Browser | undefined;
let tab: Page;
const faults: string[][] = [];
/** Lets the model go on after `BEGINNING`. */
let goOn = () => {};

async function newTab(): Promise<Page> {
  const context = await browser!.newContext({
    baseURL: consoleUrl,
    locale: 'en-US',
    viewport: { width: 1280, height: 480 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  faults.push(
    collectFaults(
      page,
      [consoleUrl, memoUrl, payments.url].map((url) => new URL(url).origin),
    ),
  );
  return page;
}

async function register(page: Page, person: typeof PERSON): Promise<void> {
  await page.goto('/register');
  await new RegisterPage(page).register(person);
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}

beforeAll(async () => {
  database = await createTestDatabase();
  await publishPrices(
    database.pool,
    Object.entries(RATES_PICOS).flatMap(([slug, ratePicos]) => [
      { slug, unit: 'per_million_input_tokens' as const, ratePicos },
      { slug, unit: 'per_million_output_tokens' as const, ratePicos },
    ]),
  );
  payments = await SandboxPayments.start({ site: 'intl' });
  model = await ScriptedModel.start();
  site = new Site(database);
  const gateway = await site.startGateway({ url: new URL(model.url).origin });
  const agent = await site.startAgent(gateway, { DEFAULT_MODEL: MODEL });
  memoUrl = (await site.startMemo(gateway, { CORS_ORIGINS: await site.consoleUrl(), CHAT_MODEL: MODEL })).url;
  ({ url: consoleUrl } = await site.startConsole({
    ...payments.consoleEnvironment(),
    CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
    GATEWAY_URL: gateway.url,
    AGENT_URL: agent.url,
    MEMO_URL: memoUrl,
    MAIL_FOLDER: mails,
    START_CREDIT,
  }));
  await payments.deliverTo(consoleUrl);
  if (!chrome) return;
  browser = await launchChromium(chrome);
  tab = await newTab();
  await register(tab, PERSON);
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  model?.close();
  await payments?.stop();
  await database?.drop();
  rmSync(mails, { recursive: true });
});
afterEach(() => {
  if (chrome) expect(faults.flat()).toEqual([]);
});

/** Lets the model answer in small pieces, and wait in the middle for `goOn`. */
function answerInPieces(): void {
  const isReleased = new Promise<void>((resolve) => (goOn = resolve));
  model.says(async (answer) => {
    const write = async (text: string) => {
      for (let start = 0; start < text.length; start += PIECE_CHARACTERS) {
        answer.delta({ content: text.slice(start, start + PIECE_CHARACTERS) });
        await new Promise((resolve) => setTimeout(resolve, PIECE_MILLIS));
      }
    };
    await write(BEGINNING);
    await isReleased;
    await write(REST);
    answer.finish('stop');
  });
}

const message = (page = tab) => page.getByRole('textbox', { name: 'Your message' });
const send = (page = tab) => page.getByRole('button', { name: 'Send', exact: true });

ifThere(
  'a call that the wallet does not cover leads to a top-up of what is missing, and then works',
  async () => {
    model.says((answer) => {
      answer.delta({ content: 'It works.' });
      answer.finish('stop');
    });
    await tab.goto(`/playground?model=${DEAR_MODEL}`);
    await tab.waitForURL((url) => !url.searchParams.has('model'));
    await message().fill('What is the area of a circle?');
    const refused = tab.waitForResponse(/\/api\/playground\/chat\/completions$/);
    await send().click();
    const { missing_amount: missing } = (await (await refused).json()) as { missing_amount: string };
    const notice = tab.getByRole('alert').filter({ hasText: 'Your balance does not cover this' });
    await notice.getByRole('link', { name: 'Top up', exact: true }).click();
    await tab.waitForURL((url) => url.pathname === '/top-up' && url.searchParams.has('amount'));
    const proposed = await tab.getByRole('textbox', { name: 'Amount' }).inputValue();
    expect(Number(missing)).toBeGreaterThan(1);
    expect(Number(proposed)).toBe(Math.ceil(Number(missing) * 100) / 100);
    await tab.getByRole('button', { name: /^Pay \$/ }).click();
    await tab.getByRole('button', { name: 'Pay', exact: true }).click();
    await tab.getByRole('link', { name: 'Back to the merchant' }).click();
    await tab.getByText('Payment received').waitFor();
    await openArea(tab, 'Playground');
    await tab.getByRole('log').getByText('What is the area of a circle?').waitFor();
    await tab.getByRole('button', { name: 'Try again' }).click();
    await tab.getByRole('article').getByText('It works.').waitFor();
    await tab.getByText(/^Cost/).locator('data').waitFor();
  },
);

/** The confirmation of an address, as somebody makes it who opens the link of the mail in the same tab. */
async function confirmAddress(page: Page, email: string): Promise<void> {
  await page.goto(`/verify-email#token=${await mailedToken(mails, 'verify_email', email)}`);
  await page.getByRole('button', { name: 'Confirm the address' }).click();
  await page.getByText('Your address is confirmed').waitFor();
}

const transactions = (page: Page) => page.getByRole('table', { name: 'Transactions' }).locator('tbody tr');

ifThere('a new account makes its first call with the start credit, which it gets once', async () => {
  const page = await newTab();
  await register(page, NEWCOMER);
  await openArea(page, 'Transactions');
  await page.getByText('No transactions yet').waitFor();
  await confirmAddress(page, NEWCOMER.email);
  await page.goto('/transactions');
  await transactions(page).first().waitFor();
  const [credit, ...others] = await transactions(page).allInnerTexts();
  expect(credit).toMatch(/Correction\s[^]*Start credit[^]*\$0\.75/);
  expect(others).toEqual([]);
  await openArea(page, 'Playground');
  await message(page).fill('What is the area of a circle?');
  await send(page).click();
  await page.getByRole('article').getByText('It works.').waitFor();
  const cost = page.getByText(/^Cost/).locator('data');
  await cost.waitFor();
  const paid = await picosOf(cost);
  await openArea(page, 'Overview');
  const balance = page
    .locator('section', { has: page.getByRole('heading', { name: 'Balance' }) })
    .locator('data')
    .first();
  await balance.waitFor();
  expect((await picosOf(balance)) + paid).toBe(START_CREDIT_PICOS);
  await page.context().close();
});

ifThere('without a start credit a confirmed address adds nothing', async () => {
  const port = await findFreePort();
  const plain = await site.startConsole(
    {
      CONSOLE_URL: `http://127.0.0.1:${port}`,
      CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
      MAIL_FOLDER: mails,
    },
    port,
  );
  const context = await browser!.newContext({ baseURL: plain.url, locale: 'en-US' });
  const page = await context.newPage();
  await register(page, LATECOMER);
  await confirmAddress(page, LATECOMER.email);
  await page.goto('/transactions');
  await page.getByText('No transactions yet').waitFor();
  await context.close();
  await plain.stop();
});

/** Watches how high the conversation is, and where its page is scrolled to, at each change of it. */
const WATCH = `(() => {
  const log = document.querySelector('[role=log]');
  window.seen = [];
  const note = () => {
    const { height } = log.getBoundingClientRect();
    const text = log.innerText.slice(-80);
    window.seen.push({ height, text });
  };
  new MutationObserver(note).observe(log, { childList: true, subtree: true, characterData: true });
})()`;

/** A busy browser shows several pieces at once. */
const LEAST_CHANGES = 3;

/** Where the conversation became lower while the answer was written. */
async function shrinkings(page: Page): Promise<string[]> {
  const seen = await page.evaluate<{ height: number; text: string }[]>('window.seen');
  expect(seen.length).toBeGreaterThan(LEAST_CHANGES);
  return seen
    .slice(1)
    .map((now, index) => ({ before: seen[index]!, now }))
    .filter(({ before, now }) => now.height < before.height - 0.5)
    .map(({ before, now }) => `${before.height} px → ${now.height} px: ${before.text} → ${now.text}`);
}

const untilWritten = () => tab.getByRole('log').and(tab.locator('[aria-busy=false]')).waitFor();

/** Whether the keyword of the newest block of code has a colour of its own. */
const IS_KEYWORD_COLOURED = `(() => {
  const code = [...document.querySelectorAll('article pre code')].at(-1);
  const keyword = [...code.querySelectorAll('span')].find(({ textContent }) => textContent === 'def');
  return getComputedStyle(keyword).color !== getComputedStyle(code).color;
})()`;

async function expectMarkdown(answer: Locator): Promise<void> {
  const page = answer.page();
  await answer.getByRole('heading', { name: 'Area of a circle' }).waitFor();
  expect(await answer.locator('strong').first().innerText()).toBe('grows');
  expect(await answer.locator('ol > li').count()).toBe(2);
  expect(await answer.locator('ul > li').allInnerTexts()).toEqual(['a list', 'with two entries']);
  const table = answer.getByRole('table');
  expect(await table.getByRole('columnheader').allInnerTexts()).toEqual(['Radius', 'Area']);
  expect(await table.getByRole('cell').allInnerTexts()).toEqual(['1', '3.14', '2', '12.56']);
  // Formulas are drawn: r within a line, and a fraction on lines of its own.
  await answer.locator('math[display=block] mfrac').waitFor();
  expect(await answer.locator('math').count()).toBe(2);
  const code = answer.locator('pre code');
  expect(await code.innerText()).toBe(CODE);
  await code.locator('span').getByText('def', { exact: true }).waitFor();
  expect(await page.evaluate(IS_KEYWORD_COLOURED)).toBe(true);
  await answer.getByRole('button', { name: 'Copy the code' }).click();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(CODE);
  // HTML of a model is text.
  await answer.getByText('<img src="/nothing.png"').waitFor();
  expect(await answer.locator('img, script, [onerror]').count()).toBe(0);
  expect(
    await answer.getByRole('link').evaluateAll((all) => all.map((one) => one.getAttribute('href'))),
  ).toContain('https://example.com/circles');
  expect(await answer.locator('a[href^="javascript"]').count()).toBe(0);
  await answer.getByText('Run me').click({ position: { x: 24, y: 8 } });
  expect(await page.evaluate('window.executed')).toBeUndefined();
}

ifThere('the playground shows Markdown, without a jump while it is written', async () => {
  answerInPieces();
  await tab.getByRole('button', { name: 'New conversation' }).click();
  await tab.goto(`/playground?model=${MODEL}`);
  await tab.waitForURL((url) => !url.searchParams.has('model'));
  await message().fill('Tell me about circles.');
  await send().click();
  const answer = tab.getByRole('article').last();
  await answer.getByText('Area of').waitFor();
  await tab.evaluate(WATCH);
  await answer.getByText('12.56').waitFor();
  const region = `document.querySelector('[role=log]').parentElement`;
  const top = () => tab.evaluate<number>(`${region}.scrollTop`);
  await tab.mouse.move(400, 300);
  await tab.mouse.wheel(0, -10_000);
  await tab.waitForFunction(`${region}.scrollTop === 0`);
  goOn();
  await untilWritten();
  expect(await shrinkings(tab)).toEqual([]);
  expect(await top()).toBe(0);
  await expectMarkdown(answer);
});

ifThere('an agent shows Markdown, without a jump while it is written', async () => {
  answerInPieces();
  await tab.goto('/agents');
  await message().fill('Tell me about circles.');
  await send().click();
  const answer = tab.getByRole('article', { name: 'Agent' }).last();
  await answer.getByText('Area of').waitFor();
  await tab.evaluate(WATCH);
  await answer.getByText('12.56').waitFor();
  goOn();
  await tab.getByText(/^Cost/).waitFor();
  expect(await shrinkings(tab)).toEqual([]);
  await expectMarkdown(answer);
});

ifThere('a workspace shows Markdown, without a jump while it is written', async () => {
  answerInPieces();
  await tab.goto('/workspaces');
  const page = new WorkspacePage(tab);
  await page.create('Geometry');
  await page.upload([
    { name: 'circles.txt', text: 'The area of a circle grows with the square of its radius.' },
  ]);
  await page.row('Documents', 'circles.txt').getByText('Ready').waitFor();
  await page.open('Ask');
  await page.ask('How does the area of a circle grow?');
  const answer = tab.getByRole('article', { name: 'Answer' });
  await answer.getByText('Area of').waitFor();
  await tab.evaluate(WATCH);
  await answer.getByText('12.56').waitFor();
  goOn();
  await untilWritten();
  expect(await shrinkings(tab)).toEqual([]);
  await expectMarkdown(answer);
});
