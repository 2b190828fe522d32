import { createHmac } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SandboxPayments } from '@inference/sandbox-payments';
import { createTestDatabase, publishPrices, type TestDatabase, waitFor } from '@inference/testing';
import { type Browser, type Page } from 'playwright-core';
import { launchChromium } from '../../site/chromium';
import { consoleBody } from '../../site/console-client';
import { createAdmin } from '../../site/create-admin';
import { findProgram } from '../../site/nginx';
import { ROOT, type ServiceProcess } from '../../site/service-process';
import { Site } from '../../site/site';
import { openArea } from '../billing-pages';
import { collectFaults } from '../browser-faults';
import { SignInPage } from '../console-pages';
import { PriceEditor } from './catalogue-pages';

/** What staff does for customers between sign-up and complaint, and what the customers see of it, in Chromium against a real site. */

const ADMIN = { email: 'root@example.com', password: 'a password of this test' };
const ANN = { email: 'ann@example.com', password: 'another password of this test' };
const BOB = { email: 'bob@example.com', password: 'a third password of this test' };
/** Of the staff: its days begin eight hours before those of UTC. */
const STAFF_ZONE = 'Asia/Shanghai';
const DAY_MILLIS = 86_400_000;
/** A price becomes effective while its page is watched. */
const SOON_MILLIS = 3_000;
const INPUT = 'sandbox-chat · per million input tokens';

const chrome = findProgram('chromium');
const ifThere = chrome ? it : it.skip;
const mails = mkdtempSync(join(tmpdir(), 'mails-'));

let database: TestDatabase;
let site: Site;
let sandbox: SandboxPayments;
let consoleUrl: string;
let gateway: ServiceProcess;
let adminToken: string;
let ann: { token: string; id: string; key: string; paymentId: string };
let browser: Browser | undefined;
let staff: Page;
let customer: Page;
const faults: string[][] = [];

const asAdmin = <Body>(method: string, path: string, json?: unknown, status = 200) =>
  consoleBody<Body>(consoleUrl, method, path, { token: adminToken, json, status });
const asAnn = <Body>(method: string, path: string, json?: unknown, status = 200) =>
  consoleBody<Body>(consoleUrl, method, path, { token: ann.token, json, status });

async function newTab(locale = 'en-US', timezoneId = 'UTC'): Promise<Page> {
  const context = await browser!.newContext({ baseURL: consoleUrl, locale, timezoneId });
  const page = await context.newPage();
  faults.push(collectFaults(page, [new URL(consoleUrl).origin]));
  return page;
}
async function signedIn(page: Page, person: typeof ADMIN): Promise<Page> {
  await page.goto('/sign-in');
  await new SignInPage(page).signIn(person);
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  return page;
}

async function register(person: typeof ADMIN): Promise<{ token: string; id: string }> {
  const { token, user } = await consoleBody<{ token: string; user: { id: string } }>(
    consoleUrl,
    'POST',
    '/api/auth/register',
    { json: person, status: 201 },
  );
  await database.pool.query('UPDATE accounts.accounts SET email_verified_at = now() WHERE id = $1', [
    user.id,
  ]);
  return { token, id: user.id };
}

beforeAll(async () => {
  database = await createTestDatabase();
  await publishPrices(database.pool, [
    { slug: 'sandbox-chat', unit: 'per_million_input_tokens', ratePicos: 2_000_000n },
    { slug: 'sandbox-chat', unit: 'per_million_output_tokens', ratePicos: 4_000_000n },
  ]);
  site = new Site(database);
  sandbox = await SandboxPayments.start({ site: 'intl' });
  gateway = await site.startGateway(await site.startEngine());
  ({ url: consoleUrl } = await site.startConsole({
    CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
    GATEWAY_URL: gateway.url,
    MAIL_FOLDER: mails,
    ...sandbox.consoleEnvironment(),
  }));
  await sandbox.deliverTo(consoleUrl);
  await createAdmin(database.urlFor('console'), 'intl', ADMIN);
  ({ token: adminToken } = await consoleBody<{ token: string }>(consoleUrl, 'POST', '/api/auth/login', {
    json: { identifier: ADMIN.email, password: ADMIN.password },
  }));
  ann = { ...(await register(ANN)), key: '', paymentId: '' };
  await register(BOB);
  ({ key: ann.key } = await asAnn<{ key: string }>('POST', '/api/api-keys', { name: 'production' }, 201));
  ({ id: ann.paymentId } = await asAnn<{ id: string }>(
    'POST',
    '/api/billing/payments',
    { provider: 'card_provider', amount: 20 },
    201,
  ));
  await sandbox.act(ann.paymentId, 'pay');
  await waitFor(async () => (await payment()).status === 'paid');
  if (!chrome) return;
  browser = await launchChromium(chrome);
  [staff, customer] = await Promise.all([newTab('en-US', STAFF_ZONE), newTab()]);
  await Promise.all([signedIn(staff, ADMIN), signedIn(customer, ANN)]);
  await staff.getByRole('button', { name: 'Language, colours and time zone' }).click();
  await staff.getByRole('menuitemradio', { name: `Browser (${STAFF_ZONE})` }).click();
  await staff.keyboard.press('Escape');
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await sandbox?.stop();
  await database?.drop();
  rmSync(mails, { recursive: true });
});
afterEach(() => expect(faults.flat()).toEqual([]));

const payment = () =>
  asAnn<{ status: string; provider_reference: string }>('GET', `/api/billing/payments/${ann.paymentId}`);
const chat = () =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${ann.key}` },
    body: JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello' }] }),
  });
const dialog = () => staff.getByRole('dialog');
const submit = (name: string) => dialog().getByRole('button', { name, exact: true }).click();
const write = (name: string, text: string) => dialog().getByRole('textbox', { name, exact: true }).fill(text);
const isClosed = () => dialog().waitFor({ state: 'detached' });

describe('a leaked key', () => {
  const row = () => staff.getByRole('table', { name: 'API keys' }).getByRole('row', { name: /production/ });
  const ownRow = () =>
    customer.getByRole('table', { name: 'API keys' }).getByRole('row', { name: /production/ });

  ifThere.each([
    ['its prefix', async () => (await ownKey()).prefix],
    ['the whole of it', () => Promise.resolve(ann.key)],
  ] as const)('is found by %s, which is not in the address', async (_, textOf) => {
    const { id } = await ownKey();
    await openArea(staff, 'Accounts');
    await staff.getByRole('searchbox', { name: 'Find an account' }).fill(await textOf());
    await staff.keyboard.press('Enter');
    const found = staff.getByRole('table', { name: 'What was found' });
    await found.getByRole('row', { name: new RegExp(`${ANN.email} API key ${id}`) }).waitFor();
    expect(await found.getByRole('row').count()).toBe(2);
    expect(new URL(staff.url()).search).toBe('');
  });

  ifThere('is suspended with a reason, and its owner reads the text for customers', async () => {
    expect((await chat()).status).toBe(200);
    await staff.getByRole('link', { name: ANN.email }).click();
    await staff.getByRole('tab', { name: 'API keys' }).click();
    await row().getByText('Active', { exact: true }).waitFor();
    await row().getByRole('button', { name: 'Suspend: production' }).click();
    await submit('Suspend');
    await dialog().getByText('Enter a reason.').waitFor();
    await write('Reason', 'In a public repository');
    await write('Message to the customer', 'Your key was published. Please delete it.');
    await submit('Suspend');
    await isClosed();
    await row().getByText('In a public repository').waitFor();
    await waitFor(async () => (await chat()).status === 401);
    await customer.goto('/keys');
    await ownRow().getByText('Suspended', { exact: true }).waitFor();
    await ownRow().getByText('Your key was published. Please delete it.').waitFor();
    expect(await customer.locator('body').innerText()).not.toContain('In a public repository');
  });

  ifThere('works again when it is reactivated', async () => {
    await row().getByRole('button', { name: 'Reactivate: production' }).click();
    await write('Reason', 'The repository is private');
    await submit('Reactivate');
    await isClosed();
    await row().getByText('Active', { exact: true }).waitFor();
    await waitFor(async () => (await chat()).status === 200);
    await customer.reload();
    await ownRow().waitFor();
    expect(await ownRow().getByText('Suspended').count()).toBe(0);
  });
});

describe('an announcement', () => {
  const row = (title: string) =>
    staff.getByRole('table', { name: 'Announcements' }).getByRole('row', { name: new RegExp(title) });
  const noticeIn = (page: Page) => page.getByRole('region', { name: /^(Announcements|公告)$/ });
  const recipients = (title: string) =>
    row(title)
      .getByRole('button', { name: `Send “${title}” by mail` })
      .click();

  ifThere('needs both languages, and is shown to customers and on public pages', async () => {
    await openArea(staff, 'Announcements');
    await staff.getByRole('button', { name: 'New announcement' }).first().click();
    await write('Title in English', 'Maintenance tonight');
    await write('Text in English', 'From 22:00 UTC. See https://status.example.com/1.');
    await submit('Publish');
    expect(await dialog().getByText('Both languages are needed.').count()).toBe(2);
    await write('Title in Chinese', '今晚维护');
    await write('Text in Chinese', '22:00（UTC）开始。');
    await submit('Publish');
    await isClosed();
    await row('Maintenance tonight').getByText('Shown', { exact: true }).waitFor();
    await customer.goto('/overview');
    await noticeIn(customer).getByText('Maintenance tonight').waitFor();
    expect(await noticeIn(customer).getByRole('link').getAttribute('href')).toBe(
      'https://status.example.com/1',
    );
    for (const [locale, title] of [
      ['en-US', 'Maintenance tonight'],
      ['zh-CN', '今晚维护'],
    ] as const) {
      const visitor = await newTab(locale);
      for (const path of ['/', '/pricing', '/sign-in', '/docs']) {
        await visitor.goto(path);
        await noticeIn(visitor).getByText(title).waitFor();
      }
      await visitor.context().close();
    }
  });

  ifThere('is hidden by a customer, and counted as hidden', async () => {
    await noticeIn(customer).getByRole('button', { name: 'Hide “Maintenance tonight”' }).click();
    await noticeIn(customer).waitFor({ state: 'detached' });
    await staff.reload();
    await row('Maintenance tonight').getByText('1', { exact: true }).waitFor();
  });

  ifThere('goes by mail to as many accounts as were counted before', async () => {
    await recipients('Maintenance tonight');
    await dialog().getByRole('status').getByText('3 accounts get it.').waitFor();
    await dialog().getByRole('textbox', { name: 'Has used the model' }).fill('sandbox-chat');
    await dialog().getByRole('status').getByText('1 account gets it.').waitFor();
    await write('Has used the model', '');
    await submit('Send to 3 accounts');
    await isClosed();
    await row('Maintenance tonight').getByText('Sent to 3').waitFor({ timeout: 60_000 });
  });

  ifThere('is not counted for an account that has unsubscribed by the link of the mail', async () => {
    const visitor = await newTab();
    await visitor.goto(await waitFor(() => unsubscribeLink(BOB.email)));
    await visitor.getByRole('button', { name: 'Unsubscribe', exact: true }).click();
    await visitor.getByText('You are unsubscribed').waitFor();
    await visitor.context().close();
    await asAdmin(
      'POST',
      '/api/admin/announcements',
      {
        ...{ severity: 'critical', audience: 'all' },
        ...{ title_en: 'Incident', body_en: 'Calls fail.', title_zh: '故障', body_zh: '调用失败。' },
      },
      201,
    );
    await staff.reload();
    await recipients('Incident');
    await dialog().getByRole('status').getByText('2 accounts get it.').waitFor();
    await dialog().getByRole('button', { name: 'Send to 2 accounts' }).waitFor();
    await staff.keyboard.press('Escape');
    await isClosed();
  });

  ifThere('is gone everywhere when it is ended', async () => {
    for (const title of ['Maintenance tonight', 'Incident']) {
      await row(title)
        .getByRole('button', { name: `End “${title}”`, exact: true })
        .click();
      await submit('End');
      await isClosed();
      await row(title).getByText('Ended', { exact: true }).waitFor();
    }
    const visitor = await newTab();
    await visitor.goto('/', { waitUntil: 'networkidle' });
    await customer.goto('/overview', { waitUntil: 'networkidle' });
    for (const page of [visitor, customer]) expect(await noticeIn(page).count()).toBe(0);
    await visitor.context().close();
  });
});

/** In the mail of an announcement to an account; null while there is none. */
function unsubscribeLink(recipient: string): string | null {
  const mail = readdirSync(mails)
    .filter((name) => name.includes('-announcement-'))
    .map((name) => readFileSync(join(mails, name), 'utf8'))
    .find((text) => text.includes(`To: ${recipient}`));
  const [link = null] =
    mail === undefined ? [] : (/\S+\/unsubscribe#token=\S+/.exec(mail.replace(/=\r?\n/g, '')) ?? []);
  return link && link.replaceAll('=3D', '=');
}

describe('an event of the payment provider that nobody handles', () => {
  const table = () => staff.getByRole('table', { name: 'Provider events' });

  ifThere('is listed with its payment and account, and closed with a note', async () => {
    await send('charge.dispute.created', {
      ...{ id: 'dp_1', object: 'dispute', amount: 2_000, currency: 'usd' },
      payment_intent: (await payment()).provider_reference,
      ...{ reason: 'fraudulent', status: 'needs_response' },
    });
    await openArea(staff, 'Provider events');
    const row = table().getByRole('row', { name: /Dispute charge\.dispute\.created/ });
    await row.getByText('needs_response, fraudulent').waitFor();
    await row.getByText('$20.00').waitFor();
    await row.getByRole('link', { name: ANN.email }).waitFor();
    await row.getByRole('link', { name: ann.paymentId }).waitFor();
    await row.getByRole('button', { name: 'Close' }).click();
    await submit('Close');
    await dialog().getByText('Describe briefly what was done.').waitFor();
    await write('What was done', 'Evidence sent to the bank');
    await submit('Close');
    await isClosed();
    await staff.getByText('Nothing to handle').waitFor();
    await staff.getByRole('combobox', { name: 'Show' }).click();
    await staff.getByRole('option', { name: 'Closed' }).click();
    await row.getByText('Evidence sent to the bank').waitFor();
    await row.getByRole('link', { name: ADMIN.email }).waitFor();
  });

  ifThere('leads to its payment and its account, whose timeline tells of it', async () => {
    await table().getByRole('link', { name: ann.paymentId }).click();
    await staff.getByRole('heading', { name: 'Payment', level: 1 }).waitFor();
    await staff.goBack();
    await staff.getByRole('combobox', { name: 'Show' }).click();
    await staff.getByRole('option', { name: 'All' }).click();
    await table().getByRole('link', { name: ANN.email }).click();
    await staff.getByRole('tab', { name: 'Timeline' }).click();
    const timeline = staff.getByRole('table', { name: 'Timeline' });
    await timeline.getByRole('row', { name: /Event of the payment provider handled/ }).waitFor();
  });
});

/** Delivers an event as the provider signs it. */
async function send(type: string, object: object): Promise<void> {
  const secret = sandbox.consoleEnvironment()['STRIPE_WEBHOOK_SECRETS']!.split(',')[0]!;
  const time = Math.floor(Date.now() / 1_000);
  const event = {
    id: `evt_${type}`,
    object: 'event',
    api_version: '2024-06-20',
    created: time,
    livemode: false,
  };
  const body = JSON.stringify({ ...event, type, data: { object } });
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  const headers = { 'Content-Type': 'application/json', 'Stripe-Signature': `t=${time},v1=${signature}` };
  const { status } = await fetch(`${consoleUrl}/api/billing/webhooks/card_provider`, {
    ...{ method: 'POST', headers, body },
  });
  expect(status).toBe(200);
}

describe('the timeline of a customer', () => {
  const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MILLIS).toISOString().slice(0, 10);
  const timeline = () => staff.getByRole('table', { name: 'Timeline' });
  const choose = async (name: 'From' | 'To', day: string) => {
    await staff.getByRole('textbox', { name, exact: true }).fill(day);
    await staff.keyboard.press('Tab');
  };
  /** What is shown of the seeded rows, as their names. */
  const shown = async () =>
    (await timeline().getByRole('row').allInnerTexts()).flatMap((text) => /seed [\w-]+/.exec(text) ?? []);
  const shows = (expected: string[]) =>
    waitFor(async () => JSON.stringify(await shown()) === JSON.stringify(expected));

  ifThere(
    'has its events of several days, and those of the chosen days by the clock of the staff',
    async () => {
      const [first, second] = [dayBefore(12), dayBefore(11)];
      // In the zone of the staff a day ends at 16:00 UTC.
      const notes = [
        ['seed a', `${first}T15:59:59.999Z`],
        ['seed b', `${first}T16:00:00Z`],
        ['seed c', `${second}T15:59:59.999Z`],
        ['seed d', `${second}T16:00:00Z`],
      ];
      for (const [text, at] of notes)
        await database.pool.query(
          `INSERT INTO accounts.account_notes (id, account_id, author_id, text, created_at)
           SELECT 'note_' || md5($2), $1, id, $2, $3 FROM accounts.accounts WHERE email = $4`,
          [ann.id, text, at, ADMIN.email],
        );
      await database.pool.query(
        `INSERT INTO accounts.security_events (id, account_id, actor_id, type, details, created_at)
         VALUES ('evt_seeded', $1, $1, 'session.opened', '{"method": "seed sign-in"}', $2)`,
        [ann.id, `${second}T12:00:00Z`],
      );
      await staff.reload();
      await staff.getByRole('tab', { name: 'Timeline' }).click();
      await shows(['seed d', 'seed c', 'seed sign-in', 'seed b', 'seed a']);
      await choose('From', second);
      await shows(['seed d', 'seed c', 'seed sign-in', 'seed b']);
      await choose('To', second);
      await shows(['seed c', 'seed sign-in', 'seed b']);
      expect(await timeline().getByRole('row').count()).toBe(4);
      await choose('From', dayBefore(20));
      await choose('To', dayBefore(19));
      await staff.getByText('Nothing on these days').waitFor();
      await choose('To', first);
      await shows(['seed a']);
    },
  );
});

describe('a price for later', () => {
  ifThere('is typed with its time, reviewed, and shown as coming', async () => {
    const year = new Date().getUTCFullYear() + 1;
    const terms = `from Mar 8, ${year}, 09:30 (${STAFF_ZONE})`;
    await openArea(staff, 'Prices');
    const editor = new PriceEditor(staff);
    const form = staff.getByRole('form', { name: 'Add a price' });
    await form.getByRole('combobox', { name: 'Model' }).fill('sandbox-chat');
    await form.getByRole('textbox', { name: 'Price' }).fill('2.5');
    await form.getByRole('switch', { name: 'Only under conditions' }).check();
    const from = form.getByRole('textbox', { name: `Effective from (${STAFF_ZONE})`, exact: true });
    await from.fill(`${year}-03-08`);
    await form.getByRole('textbox', { name: `Effective from (${STAFF_ZONE}): time` }).fill('9:30');
    await form.getByRole('button', { name: 'Add' }).click();
    const review = await editor.review();
    const row = review.getByRole('row', { name: /sandbox-chat/ });
    await row.getByText(terms).waitFor();
    await row.getByText('$2.50').waitFor();
    await editor.publish();
    await review.waitFor({ state: 'detached' });
    await editor.field(`${INPUT} · ${terms}`).waitFor();
    const visitor = await newTab();
    for (const path of ['/pricing', '/models/sandbox-chat']) {
      await visitor.goto(path);
      await visitor.getByText(`$2.50 · from Mar 8, ${year}, 01:30 (UTC)`).waitFor();
      await visitor.getByText('$2.00').first().waitFor();
    }
    await visitor.context().close();
  });

  ifThere('is in force from its time on, on the pages and for calls', async () => {
    const from = new Date(Date.now() + SOON_MILLIS).toISOString();
    await asAdmin('PATCH', '/api/admin/billing/pricing/models', {
      models: [{ slug: 'sandbox-chat', unit: 'per_million_input_tokens', price: 8, effective_from: from }],
    });
    const visitor = await newTab();
    await waitFor(async () => {
      await visitor.goto('/models/sandbox-chat');
      await visitor.getByText('$4.00').first().waitFor();
      return (await visitor.getByText('$2.00').count()) === 0;
    });
    await visitor.getByText('$8.00', { exact: true }).waitFor();
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(from));
    await visitor.context().close();
    await staff.reload();
    expect(await new PriceEditor(staff).field(INPUT).inputValue()).toBe('8');
    const answer = (await (await chat()).json()) as { usage: Record<string, number> };
    const { prompt_tokens: input = 0, completion_tokens: output = 0 } = answer.usage;
    await waitFor(async () => {
      const { requests } = await asAnn<{ requests: { cost: unknown }[] }>('GET', '/api/billing/requests');
      return Number(requests[0]!.cost) === (input * 8 + output * 4) / 1e6;
    });
  });
});

const ownKey = async () =>
  (await asAnn<{ api_keys: { id: string; prefix: string }[] }>('GET', '/api/api-keys')).api_keys[0]!;
