import { join } from 'node:path';
import { SandboxPayments } from '@inference/sandbox-payments';
import { createTestDatabase, publishPrices, type TestDatabase, waitFor } from '@inference/testing';
import { type Browser, type Page } from 'playwright-core';
import { launchChromium } from '../../site/chromium';
import { consoleBody } from '../../site/console-client';
import { createAdmin } from '../../site/create-admin';
import { findProgram } from '../../site/nginx';
import { ROOT } from '../../site/service-process';
import { Site } from '../../site/site';
import { collectFaults } from '../browser-faults';
import { signInInAnyLanguage } from '../console-pages';
import { WorkspacePage } from '../workspaces/workspace-pages';
import { outOfReach, shownPlaces } from './out-of-reach';

/** What a row is about and what can be done with it is in sight on a phone, and however long its name is, in Chromium. */

const PERSON = { email: 'root@example.com', password: 'a password of this test' };
/** The longest parts that an address may have. */
const MEMBER = {
  email: `${'m'.repeat(64)}@${'d'.repeat(63)}.example`,
  password: 'another password of this test',
};
const MODEL = 'sandbox-chat';
/** Nowhere to break it. */
const LONG = 'W'.repeat(200);
const PHONE = { width: 390, height: 844 };
const SCREEN = { width: 1440, height: 900 };

const chrome = findProgram('chromium');
const ifThere = chrome ? describe : describe.skip;

let database: TestDatabase;
let payments: SandboxPayments;
let site: Site;
let consoleUrl: string;
let accountId: string;
let workspaceId: string;
let browser: Browser | undefined;
let tab: Page;
let faults: string[];

async function seedPayment(token: string): Promise<void> {
  const ordered = { token, json: { provider: 'card_provider', amount: 20 }, status: 201 };
  const { id } = await consoleBody<{ id: string }>(consoleUrl, 'POST', '/api/billing/payments', ordered);
  await payments.act(id, 'pay');
  await waitFor(async () => {
    const path = `/api/billing/payments/${id}`;
    return (await consoleBody<{ status: string }>(consoleUrl, 'GET', path, { token })).status === 'paid';
  });
  const refund = { token, json: { amount: 5 }, status: 201 };
  await consoleBody(consoleUrl, 'POST', `/api/admin/billing/payments/${id}/refund`, refund);
}

async function seedCalls(gatewayUrl: string, token: string): Promise<void> {
  const created = { token, json: { name: 'of this test' }, status: 201 };
  const { key } = await consoleBody<{ key: string }>(consoleUrl, 'POST', '/api/api-keys', created);
  for (const model of [MODEL, `no-such-${'m'.repeat(80)}`]) {
    const answer = await fetch(`${gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await answer.text();
  }
  for (const name of ['k'.repeat(100), '密'.repeat(100)]) {
    const json = { name, spend_limit: 1_000, period: 'month', allowed_models: [MODEL] };
    await consoleBody(consoleUrl, 'POST', '/api/api-keys', { token, json, status: 201 });
  }
  const path = '/api/billing/requests?status=refused';
  await waitFor(async () => {
    const { requests } = await consoleBody<{ requests: unknown[] }>(consoleUrl, 'GET', path, { token });
    return requests.length === 1;
  });
}

/** What operators give a name to. An upstream's may have 64 characters, a model's has the slash that its vendor gave it. */
async function seedServing(token: string, memberId: string): Promise<void> {
  const slug = `vendor/${'m'.repeat(80)}`;
  const post = (path: string, json: object) =>
    consoleBody(consoleUrl, 'POST', `/api/admin/${path}`, { token, json, status: 201 });
  await post('inference/models', {
    ...{ slug, name: 'm'.repeat(60), context_tokens: 1_048_576, max_output_tokens: 131_072 },
    ...{ aliases: ['a', 'b', 'c'].map((name) => name.repeat(40)), fallbacks: [MODEL] },
  });
  await post('upstreams', {
    ...{ name: 'u'.repeat(64), base_url: `http://127.0.0.1:9/${'v'.repeat(80)}`, region: 'eu-central-1' },
    ...{ state: 'off', models: [slug, MODEL].map((model) => ({ model })) },
  });
  await post('announcements', {
    severity: 'info',
    title_en: 'Maintenance '.repeat(8),
    title_zh: '维护'.repeat(30),
    body_en: 'Soon.',
    body_zh: '即将开始。',
    audience: 'accounts',
    account_ids: [memberId],
    ends_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
}

/** What people give a name to, with the longest one. */
async function seedNames(memberId: string): Promise<void> {
  const { pool } = database;
  await pool.query(
    "INSERT INTO memo.members (workspace_id, account_id, role, shows_email) VALUES ($1, $2, 'viewer', true)",
    [workspaceId, memberId],
  );
  await pool.query(
    `INSERT INTO agent.sessions (id, public_id, account_id, metadata)
     VALUES ('sess_long', 'long', $1, json_build_object('title', $2::text))`,
    [accountId, LONG],
  );
  await pool.query(
    "INSERT INTO playground.presets (id, account_id, name, settings) VALUES ('pre_long', $1, $2, '{}')",
    [accountId, LONG],
  );
  await pool.query(
    `INSERT INTO playground.conversations (id, account_id, title, content, content_bytes) VALUES ('chat_long', $1, $2, '{}', 2)`,
    [accountId, LONG],
  );
}

beforeAll(async () => {
  database = await createTestDatabase();
  await publishPrices(database.pool, [
    { slug: MODEL, unit: 'per_million_input_tokens', ratePicos: 150_001n },
    { slug: MODEL, unit: 'per_million_output_tokens', ratePicos: 599_999n },
  ]);
  payments = await SandboxPayments.start({ site: 'intl' });
  site = new Site(database);
  const gateway = await site.startGateway(await site.startEngine());
  const agent = await site.startAgent(gateway);
  const memo = await site.startMemo(gateway, { CORS_ORIGINS: await site.consoleUrl() });
  ({ url: consoleUrl } = await site.startConsole({
    ...payments.consoleEnvironment(),
    CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
    GATEWAY_URL: gateway.url,
    AGENT_URL: agent.url,
    MEMO_URL: memo.url,
  }));
  await payments.deliverTo(consoleUrl);
  await createAdmin(database.urlFor('console'), 'intl', PERSON);
  const { token, user } = await consoleBody<{ token: string; user: { id: string } }>(
    consoleUrl,
    'POST',
    '/api/auth/login',
    { json: { identifier: PERSON.email, password: PERSON.password } },
  );
  accountId = user.id;
  const { user: member } = await consoleBody<{ user: { id: string } }>(
    consoleUrl,
    'POST',
    '/api/auth/register',
    {
      json: MEMBER,
      status: 201,
    },
  );
  await seedPayment(token);
  await seedCalls(gateway.url, token);
  await seedServing(token, member.id);
  const created = { token, json: { name: LONG }, status: 201 };
  ({ id: workspaceId } = await consoleBody<{ id: string }>(memo.url, 'POST', '/v1/workspaces', created));
  await seedNames(member.id);
  if (!chrome) return;
  browser = await launchChromium(chrome);
  const context = await browser.newContext({ baseURL: consoleUrl, locale: 'en-US', timezoneId: 'UTC' });
  tab = await context.newPage();
  faults = collectFaults(
    tab,
    [consoleUrl, memo.url].map((url) => new URL(url).origin),
  );
  await signInInAnyLanguage(tab, PERSON);
  await tab.goto(`/workspaces/${workspaceId}`);
  const page = new WorkspacePage(tab);
  await page.upload([{ name: `${LONG.slice(4)}.txt`, text: 'The office is closed on Sundays.' }]);
  await page.row('Documents', 'WWW').getByText('Ready').waitFor();
  await page.open('Ask');
  await page.ask(LONG);
  await tab.getByRole('article', { name: 'Answer' }).getByText('Quoted from the documents').waitFor();
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await payments?.stop();
  await database?.drop();
});
afterEach(() => {
  if (chrome) expect(faults).toEqual([]);
});

interface List {
  path: () => string;
  table: string;
  /** What each row shows on a phone before it is unfolded. */
  places: string[];
}

const LISTS: List[] = [
  { path: () => '/requests', table: 'Requests', places: ['title', 'figure', 'status'] },
  { path: () => '/transactions', table: 'Transactions', places: ['title', 'figure', 'status'] },
  { path: () => '/payments', table: 'Payments', places: ['title', 'figure', 'status'] },
  { path: () => '/payments/refunds', table: 'Refunds', places: ['title', 'figure', 'status'] },
  { path: () => '/models', table: 'Models', places: ['title'] },
  { path: () => '/keys', table: 'API keys', places: ['title', 'status', 'actions'] },
  { path: () => '/workspaces', table: 'Workspaces', places: ['title', 'status'] },
  { path: () => `/workspaces/${workspaceId}`, table: 'Documents', places: ['title', 'status', 'actions'] },
  { path: () => `/workspaces/${workspaceId}/members`, table: 'Members', places: ['title', 'status'] },
  { path: () => '/agents', table: 'Conversations', places: ['title', 'actions'] },
  { path: () => '/admin/accounts', table: 'Accounts', places: ['title', 'status'] },
  { path: () => '/admin/payments', table: 'Payments of all accounts', places: ['title', 'figure', 'status'] },
  {
    path: () => '/admin/payments/refunds',
    table: 'Refunds of all accounts',
    places: ['title', 'figure', 'status'],
  },
  {
    path: () => `/admin/accounts/${accountId}/requests`,
    table: 'Requests',
    places: ['title', 'figure', 'status'],
  },
  { path: () => '/admin/events', table: 'Audit events', places: ['title', 'status'] },
  { path: () => '/admin/upstreams', table: 'Upstreams', places: ['title', 'status', 'actions'] },
  { path: () => '/admin/served-models', table: 'Served models', places: ['title', 'status', 'actions'] },
  { path: () => '/admin/announcements', table: 'Announcements', places: ['title', 'status', 'actions'] },
];

ifThere.each([
  ['a phone', PHONE],
  ['a screen', SCREEN],
])('on %s', (_name, size) => {
  const isPhone = size === PHONE;
  beforeAll(() => tab.setViewportSize(size));

  it.each(LISTS.map((list) => [list.table, list] as const))(
    'the rows of %s are in reach',
    async (_path, { path, table, places }) => {
      await tab.goto(path());
      await tab.getByRole('table', { name: table, exact: true }).locator('tbody tr').first().waitFor();
      expect(await outOfReach(tab)).toEqual([]);
      if (!isPhone) return;
      const rows = await shownPlaces(tab, table);
      expect(rows.length).toBeGreaterThan(0);
      for (const shown of rows) expect(shown).toEqual(expect.arrayContaining(places));
    },
  );

  it('a workspace, its documents and its questions keep their buttons beside a long name', async () => {
    await tab.goto(`/workspaces/${workspaceId}/ask`);
    await tab.getByRole('button', { name: /^Delete the conversation W{50}/ }).waitFor();
    expect(await outOfReach(tab)).toEqual([]);
    await tab.goto(`/agents/long`);
    await tab.getByRole('button', { name: 'Rename' }).waitFor();
    expect(await outOfReach(tab)).toEqual([]);
  });

  it('presets and the history of the playground keep their buttons beside a long name', async () => {
    await tab.goto('/playground');
    const choice = tab.getByRole('combobox', { name: 'Preset' });
    if (isPhone) await tab.getByRole('button', { name: 'Settings', exact: true }).click();
    await choice.click();
    await tab.getByRole('option', { name: LONG }).click();
    await tab.getByRole('button', { name: `Delete “${LONG}”` }).waitFor();
    expect(await outOfReach(tab)).toEqual([]);
    if (isPhone) await tab.keyboard.press('Escape');
    await tab.getByRole('button', { name: 'History' }).click();
    await tab.getByRole('button', { name: `Delete ${LONG}` }).waitFor();
    expect(await outOfReach(tab)).toEqual([]);
  });
});
