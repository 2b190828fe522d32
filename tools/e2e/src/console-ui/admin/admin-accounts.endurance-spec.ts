import { join } from 'node:path';
import {
  createTestDatabase,
  findFreePort,
  publishPrices,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { SandboxPayments } from '@inference/sandbox-payments';
import { type Browser, type Page } from 'playwright-core';
import { launchChromium } from '../../site/chromium';
import { createAdmin } from '../../site/create-admin';
import { findProgram } from '../../site/nginx';
import { ROOT } from '../../site/service-process';
import { Site } from '../../site/site';
import { openArea } from '../billing-pages';
import { Authenticator, SecurityPage, textOf } from '../account/account-pages';
import { collectFaults } from '../browser-faults';
import { SignInPage } from '../console-pages';

/** The pages of admins in Chromium, against a real console, gateway and payment provider. */

const ADMIN = { email: 'root@example.com', password: 'a password of this test' };
const CUSTOMER = { email: 'ann@example.com', password: 'another password of this test' };

const chrome = findProgram('chromium');
const ifThere = chrome ? it : it.skip;

let database: TestDatabase;
let site: Site;
let sandbox: SandboxPayments;
let consoleUrl: string;
let engineUrl: string;
let paymentId: string;
let customerToken: string;
let browser: Browser | undefined;
let tab: Page;
let faults: string[];

async function call<Answer>(path: string, token: string, body?: object): Promise<Answer> {
  const response = await fetch(`${consoleUrl}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      ...(body && { 'Content-Type': 'application/json' }),
      ...(token && { Authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

async function newTab(): Promise<Page> {
  const context = await browser!.newContext({ baseURL: consoleUrl, locale: 'en-US', timezoneId: 'UTC' });
  return context.newPage();
}

beforeAll(async () => {
  database = await createTestDatabase();
  await publishPrices(database.pool, [
    { slug: 'sandbox-chat', unit: 'per_million_input_tokens', ratePicos: 150_001n },
    { slug: 'sandbox-chat', unit: 'per_million_output_tokens', ratePicos: 599_999n },
  ]);
  site = new Site(database);
  sandbox = await SandboxPayments.start({ site: 'intl' });
  const engine = await site.startEngine();
  engineUrl = engine.url;
  const gateway = await site.startGateway(engine);
  const consoleService = await site.startConsole({
    CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
    GATEWAY_URL: gateway.url,
    ...sandbox.consoleEnvironment(),
  });
  consoleUrl = consoleService.url;
  await sandbox.deliverTo(consoleUrl);
  await createAdmin(database.urlFor('console'), 'intl', ADMIN);
  ({ token: customerToken } = await call<{ token: string }>('/api/auth/register', '', CUSTOMER));
  const payment = { provider: 'card_provider', amount: 20 };
  ({ id: paymentId } = await call<{ id: string }>('/api/billing/payments', customerToken, payment));
  await sandbox.act(paymentId, 'pay');
  await waitFor(async () => {
    const { status } = await call<{ status: string }>(`/api/billing/payments/${paymentId}`, customerToken);
    return status === 'paid';
  });
  const { key } = await call<{ key: string }>('/api/api-keys', customerToken, { name: 'production' });
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect(answer.status).toBe(200);
  if (!chrome) return;
  browser = await launchChromium(chrome);
  tab = await newTab();
  faults = collectFaults(tab, [new URL(consoleUrl).origin]);
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await sandbox?.stop();
  await database?.drop();
});
afterEach(() => {
  if (chrome) expect(faults).toEqual([]);
});

const balance = async () =>
  /"balance":([\d.]+)/.exec(
    await (
      await fetch(`${consoleUrl}/api/billing/settings`, {
        headers: { Authorization: `Bearer ${customerToken}` },
      })
    ).text(),
  )![1]!;

ifThere('finds an account and adjusts its balance exactly', async () => {
  await tab.goto('/sign-in');
  await new SignInPage(tab).signIn(ADMIN);
  await openArea(tab, 'Accounts');
  await tab.getByRole('searchbox', { name: 'Find an account' }).fill(CUSTOMER.email);
  await tab.getByRole('button', { name: 'Find', exact: true }).click();
  const table = tab.getByRole('table', { name: 'What was found' });
  await table.waitFor();
  expect(await table.getByText(ADMIN.email).count()).toBe(0);
  await table.getByRole('link', { name: CUSTOMER.email }).click();
  await tab.getByRole('heading', { name: CUSTOMER.email, level: 1 }).waitFor();
  const before = await balance();
  await tab.getByRole('button', { name: 'Adjust balance' }).click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Credit for an outage');
  await dialog.getByRole('textbox', { name: 'Amount' }).fill('-1,50');
  await dialog.getByRole('button', { name: 'Adjust balance' }).click();
  await dialog.getByText('Write a point before the decimals').waitFor();
  await dialog.getByRole('textbox', { name: 'Amount' }).fill('1.01');
  const expected = await dialog.locator('dl data').last().getAttribute('value');
  await dialog.getByRole('button', { name: 'Add $1.01' }).click();
  await dialog.waitFor({ state: 'detached' });
  const after = await balance();
  expect(after).toBe(expected);
  expect(picosOf(after) - picosOf(before)).toBe(1_010_000_000_000n);
  await tab.getByRole('table', { name: 'Last transactions' }).getByText('Credit for an outage').waitFor();
});

ifThere('shows the usage that the customer sees', async () => {
  const { usage } = await call<{ usage: { model: string }[] }>('/api/billing/usage', customerToken);
  expect(usage.map(({ model }) => model)).toContain('sandbox-chat');
  await tab
    .getByRole('table', { name: 'Sums' })
    .getByRole('button', { name: 'Show only sandbox-chat' })
    .waitFor();
});

ifThere('sees the pages of the customer and changes nothing, and the customer reads it', async () => {
  const page = tab.url();
  await tab.getByRole('button', { name: 'See what the customer sees' }).click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Show' }).click();
  await dialog.getByText('Enter a reason.').waitFor();
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Asks for a cost');
  await dialog.getByRole('button', { name: 'Show' }).click();
  const bar = tab.getByRole('region', { name: 'View of a customer’s account' });
  await bar.getByText('You see this account as its owner does. Read only.').waitFor();
  await bar.getByText(CUSTOMER.email).waitFor();
  // The address of the staff is in its menu alone, and no area of the staff is offered.
  expect(await tab.locator('body').innerText()).not.toContain(ADMIN.email);
  expect(await tab.getByRole('link', { name: 'Accounts', exact: true }).count()).toBe(0);
  await openArea(tab, 'API keys');
  await tab.getByRole('table').getByText('production').waitFor();
  // A reload goes on with it.
  await tab.reload();
  await bar.waitFor();
  await tab.getByRole('button', { name: 'Delete the key production' }).click();
  const confirmation = tab.getByRole('dialog');
  await confirmation.getByRole('button', { name: 'Delete', exact: true }).click();
  await confirmation.getByText('You see a customer’s account, read only.').waitFor();
  await tab.keyboard.press('Escape');
  await tab.goto('/workspaces');
  await tab.getByText('You see a customer’s account, read only.').first().waitFor();
  await tab.goto('/admin/accounts');
  await tab.getByRole('heading', { name: 'There is no such page' }).waitFor();
  await tab.goto('/settings/events');
  await bar.getByRole('button', { name: 'End' }).click();
  await tab.waitForURL(page);
  await tab.getByRole('button', { name: 'Adjust balance' }).waitFor();
  expect(await bar.count()).toBe(0);
  const { events } = await call<{ events: { type: string }[] }>('/api/auth/events', customerToken);
  expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['account.view_ended', 'account.view_began']);
  const { api_keys: keys } = await call<{ api_keys: object[] }>('/api/api-keys', customerToken);
  expect(keys).toHaveLength(1);
});

ifThere('explains a cost of the customer by the calls of the customer', async () => {
  const page = tab.url();
  await tab.getByRole('link', { name: 'Why this cost' }).first().click();
  await tab.getByRole('heading', { name: `Requests of ${CUSTOMER.email}`, level: 1 }).waitFor();
  const { requests } = await call<{ requests: { id: string }[] }>('/api/billing/requests', customerToken);
  await tab.getByRole('table', { name: 'Requests' }).getByRole('link').first().click();
  await tab.getByText(requests[0]!.id).waitFor();
  await tab.getByText(CUSTOMER.email).waitFor();
  await tab.getByRole('table', { name: 'Why this cost' }).waitFor();
  expect(await tab.getByText(/^Times are in /).count()).toBe(1);
  await tab.goto(page);
});

ifThere('names accounts by their addresses, with the number at hand', async () => {
  await tab.getByRole('button', { name: 'Copy the account number' }).waitFor();
  for (const area of ['Payments of all accounts', 'Audit events']) {
    await openArea(tab, area);
    await tab.getByRole('table').getByRole('link', { name: CUSTOMER.email }).first().waitFor();
    await tab.getByRole('textbox', { name: 'Account' }).fill('nobody@example.com');
    await tab.keyboard.press('Enter');
    await tab.getByText('No account has this name').waitFor();
    await tab.getByRole('textbox', { name: 'Account' }).fill(CUSTOMER.email);
    await tab.keyboard.press('Enter');
    await tab.waitForURL(/[?]account=acct_/);
    expect(await tab.getByRole('table').innerText()).not.toContain('acct_');
  }
  await tab.setViewportSize({ width: 1440, height: 900 });
  const table = tab.getByRole('region', { name: 'Audit events' });
  expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
});

ifThere('scrolls the sidebar to the page that is open', async () => {
  await tab.setViewportSize({ width: 1440, height: 500 });
  await tab.goto('/admin/downloads');
  const link = tab.getByRole('navigation').getByRole('link', { name: 'Download statistics', exact: true });
  await link.and(tab.locator('[aria-current="page"]')).waitFor();
  await waitFor(async () => {
    const box = await link.boundingBox();
    return box !== null && box.y >= 0 && Math.floor(box.y + box.height) <= 500;
  });
  await tab.setViewportSize({ width: 1280, height: 720 });
  await openArea(tab, 'Accounts');
  await tab.getByRole('link', { name: CUSTOMER.email }).click();
});

ifThere('suspends an account, and reactivates it', async () => {
  const fill = async (action: string, fields: Record<string, string>) => {
    await tab.getByRole('button', { name: action, exact: true }).click();
    const dialog = tab.getByRole('dialog');
    for (const [name, text] of Object.entries(fields)) await dialog.getByRole('textbox', { name }).fill(text);
    await dialog.getByRole('button', { name: action }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  await fill('Suspend', { Reason: 'Chargebacks', 'Message to the customer': 'Please write to us.' });
  const notice = tab.getByText('Message to the customer: Please write to us.');
  await notice.waitFor();
  const answer = () => call('/api/auth/me', customerToken).then(String, ({ message }: Error) => message);
  await waitFor(async () => (await answer()).includes('403'));
  await fill('Reactivate', { Reason: 'A mistake' });
  await notice.waitFor({ state: 'detached' });
  await waitFor(async () => !(await answer()).includes('403'));
});

ifThere('keeps a note, which the timeline shows beside payments and sign-ins', async () => {
  await tab.getByRole('tab', { name: 'Notes' }).click();
  await tab.getByRole('textbox', { name: 'New note' }).fill('Pays by invoice');
  await tab.getByRole('button', { name: 'Add note' }).click();
  await tab.getByRole('tabpanel', { name: 'Notes' }).getByText('Pays by invoice').waitFor();
  await tab.getByRole('tab', { name: 'Timeline' }).click();
  const timeline = tab.getByRole('table', { name: 'Timeline' });
  await timeline.getByRole('row', { name: /Note .*Pays by invoice/ }).waitFor();
  await timeline.getByRole('row', { name: /\$20\.00 · Paid · Card/ }).waitFor();
  await tab.getByRole('tab', { name: 'Usage and payments' }).click();
});

ifThere('names the documents of an account, with their sizes and states', async () => {
  await database.pool.query(
    `WITH account AS (SELECT id FROM accounts.accounts WHERE email = $1),
     workspace AS (INSERT INTO memo.workspaces (id, name, created_by) SELECT 'ws_port', 'Port', id FROM account),
     document AS (INSERT INTO memo.documents (id, workspace_id, version, created_by) SELECT 'doc_1', 'ws_port', 1, id FROM account)
     INSERT INTO memo.document_versions (document_id, version, workspace_id, title, metadata, media_type, bytes, sha256, uploaded_by, status)
     SELECT 'doc_1', 1, 'ws_port', 'Harbour rules', '{}', 'text/plain', 2000, '', id, 'queued' FROM account`,
    [CUSTOMER.email],
  );
  await tab.getByRole('tab', { name: 'Devices and content' }).click();
  const documents = tab.getByRole('table', { name: 'Documents' });
  await documents.getByRole('row', { name: /Harbour rules Queued 2 kB Port/ }).waitFor();
  for (const [part, text] of [
    ['Documents', 'doc_1,Harbour rules,ws_port,Port,text/plain,2000,queued'],
    ['Signed-in devices', 'id,device,ip_address'],
  ] as const) {
    const saved = tab.waitForEvent('download');
    await tab
      .locator('section')
      .filter({ has: tab.getByRole('heading', { name: part, exact: true }) })
      .last()
      .getByRole('button', { name: 'Download CSV' })
      .click();
    expect(await textOf(await saved)).toContain(text);
  }
  await tab.getByRole('tab', { name: 'Usage and payments' }).click();
});

ifThere('adds an upstream, tests it, and drains it', async () => {
  const page = tab.url();
  await openArea(tab, 'Upstreams');
  await tab.getByRole('button', { name: 'Add an upstream' }).click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('second');
  await dialog.getByRole('textbox', { name: 'Base URL' }).fill(`${engineUrl}/v1`);
  await dialog.getByRole('button', { name: 'Add a model' }).click();
  await dialog.getByRole('textbox', { name: 'Model', exact: true }).fill('sandbox-chat');
  await dialog.getByRole('textbox', { name: 'Weight' }).fill('25');
  await dialog
    .getByRole('region', { name: 'How calls will be split' })
    .getByText(/sandbox-chat: .*second/)
    .waitFor();
  await dialog.getByRole('button', { name: 'Review' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await tab.getByRole('button', { name: 'Test second' }).click();
  await dialog.getByText(/^sandbox-chat answered in \d+ ms/).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await tab.getByRole('button', { name: 'Drain second' }).click();
  await tab
    .getByRole('row', { name: /^second/ })
    .getByText('Draining')
    .waitFor();
  await tab.goto(page);
});

ifThere('shows on the dashboard what the calls have cost', async () => {
  const page = tab.url();
  const { rows } = await database.pool.query<{ cost: bigint; calls: bigint }>(
    'SELECT sum(cost_picos)::bigint AS cost, count(*) AS calls FROM metering.usage_events',
  );
  await openArea(tab, 'Dashboard');
  // Days of UTC: the calls may have been made before midnight.
  await tab.getByText('7 days', { exact: true }).click();
  const figure = (name: string) => tab.getByRole('region', { name, exact: true }).locator('data').first();
  await waitFor(async () => (await figure('Calls').getAttribute('value')) === String(rows[0]!.calls));
  expect(picosOf((await figure('Revenue from usage').getAttribute('value'))!)).toBe(BigInt(rows[0]!.cost));
  await tab.getByText('1 draining').waitFor();
  await tab.getByText('Each model has a working upstream.').waitFor();
  await tab.getByRole('link', { name: 'Open the health page' }).click();
  await tab.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
  await tab.goto(page);
});

ifThere('refunds a part of a payment once', async () => {
  await tab.getByRole('table', { name: 'Last payments' }).getByRole('link').first().click();
  await tab.getByRole('button', { name: 'Refund', exact: true }).click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Amount' }).fill('7.55');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Paid twice');
  await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: 'Refund $7.55' }).click();
  await tab.getByRole('table', { name: 'Refunds' }).getByText('Paid twice').waitFor();
  await tab.getByRole('table', { name: 'Refunds' }).getByText('Refunded', { exact: true }).waitFor();
  expect(await tab.getByRole('button', { name: 'Refund', exact: true }).count()).toBe(0);
  const path = `/api/billing/payments/${paymentId}`;
  const { refunded_amount: refunded } = await call<{ refunded_amount: number }>(path, customerToken);
  expect(refunded).toBe(7.55);
  await openArea(tab, 'Payments of all accounts');
  await tab.getByRole('table').getByText('Partly refunded').waitFor();
});

ifThere('lists the refund among those of all accounts, and for its customer', async () => {
  await tab.getByRole('link', { name: 'Refunds', exact: true }).click();
  const all = tab.getByRole('table', { name: 'Refunds of all accounts' });
  await all.getByRole('row', { name: /\$7\.55 Refunded.*Paid twice/ }).waitFor();
  await tab.getByRole('combobox', { name: 'Status' }).click();
  await tab.getByRole('option', { name: 'Failed', exact: true }).click();
  await tab.getByRole('button', { name: 'Show all refunds' }).click();
  await all
    .getByRole('row', { name: /Paid twice/ })
    .getByRole('link')
    .first()
    .click();
  await tab.getByRole('heading', { name: 'Payment', level: 1 }).waitFor();
  const customer = await newTab();
  await customer.goto('/sign-in?next=/payments');
  await new SignInPage(customer).signIn(CUSTOMER);
  await customer.getByRole('link', { name: 'Refunds', exact: true }).click();
  const row = customer.getByRole('table', { name: 'Refunds' }).getByRole('row', { name: /Paid twice/ });
  await row.getByText('$7.55').waitFor();
  await row.getByRole('link', { name: paymentId }).click();
  await customer.getByText('Paid twice').waitFor();
  await customer.context().close();
});

ifThere('changes a role, and the audit events tell it', async () => {
  await openArea(tab, 'Accounts');
  await tab.getByRole('link', { name: CUSTOMER.email }).click();
  await tab.getByRole('button', { name: 'Change role' }).click();
  const dialog = tab.getByRole('dialog');
  const submit = dialog.getByRole('button', { name: 'Change role' });
  await dialog.getByRole('radio', { name: 'Analyst' }).check();
  await dialog.getByText('The e-mail address of this account is not confirmed.').waitFor();
  expect(await submit.isDisabled()).toBe(true);
  await database.pool.query('UPDATE accounts.accounts SET email_verified_at = now() WHERE email = $1', [
    CUSTOMER.email,
  ]);
  await tab.reload();
  await tab.getByRole('button', { name: 'Change role' }).click();
  await dialog.getByRole('radio', { name: 'Analyst' }).check();
  await submit.click();
  await dialog.getByText('Enter your password.').waitFor();
  await dialog.getByLabel('Your password').fill('a wrong password');
  await submit.click();
  await dialog.getByRole('alert').getByText('Wrong password.').waitFor();
  await dialog.getByLabel('Your password').fill(ADMIN.password);
  await submit.click();
  await dialog.waitFor({ state: 'detached' });
  expect((await call<{ role: string }>('/api/auth/me', customerToken)).role).toBe('analyst');
  await openArea(tab, 'Audit events');
  const row = tab.getByRole('row').filter({ hasText: 'account.role_changed' }).first();
  await row.getByText('analyst').waitFor();
  await tab.getByRole('textbox', { name: 'Done by' }).fill(ADMIN.email);
  await tab.keyboard.press('Enter');
  await tab.waitForURL(/[?]actor=acct_/);
  await row.waitFor();
  await tab.getByRole('textbox', { name: 'Last day' }).fill('2020-01-01');
  await tab.keyboard.press('Enter');
  await tab.getByText('No events').waitFor();
});

ifThere('shows how all services are', async () => {
  await openArea(tab, 'Health');
  const stateOf = (name: string) => tab.getByRole('row').filter({ hasText: name });
  await stateOf('Console').getByText('Operational').waitFor();
  await stateOf('Console')
    .getByText(/^\d+ minutes? · since/)
    .waitFor();
  await stateOf('Gateway').getByText('Operational').waitFor();
  // Of this site no other service runs.
  for (const name of ['Router cost', 'Training', 'Agents', 'Workspaces'])
    await stateOf(name).getByText('No response').waitFor();
  await tab.getByText('4 services have problems').waitFor();
});

ifThere('turns off the second factor of somebody who has lost it', async () => {
  await database.pool.query('UPDATE accounts.accounts SET email_verified_at = now() WHERE email = $1', [
    CUSTOMER.email,
  ]);
  const { secret } = await call<{ secret: string }>('/api/auth/2fa/setup', customerToken, {});
  await call('/api/auth/2fa/enable', customerToken, { code: new Authenticator(secret).code() });
  await openArea(tab, 'Accounts');
  await tab.getByRole('link', { name: CUSTOMER.email }).click();
  await tab.getByRole('button', { name: 'Turn off the second factor' }).click();
  const dialog = tab.getByRole('dialog', { name: `Turn off the second factor of ${CUSTOMER.email}?` });
  const submit = dialog.getByRole('button', { name: 'Turn off the second factor' });
  await submit.click();
  await dialog.getByText('Enter your password.').waitFor();
  await dialog.getByLabel('Your password').fill('another password');
  await submit.click();
  await dialog.getByRole('alert').getByText('Wrong password.').waitFor();
  await dialog.getByLabel('Your password').fill(ADMIN.password);
  await submit.click();
  await dialog.waitFor({ state: 'detached' });
  await tab.getByText('Off', { exact: true }).waitFor();
  expect(await tab.getByRole('button', { name: 'Turn off the second factor' }).count()).toBe(0);
  await expect(call('/api/auth/me', customerToken)).rejects.toThrow('401');
});

ifThere('does not exist for customers', async () => {
  const other = await newTab();
  await other.goto('/sign-in?next=/admin/accounts');
  await new SignInPage(other).signIn(CUSTOMER);
  await other.getByRole('heading', { name: 'There is no such page' }).waitFor();
  expect(await other.getByRole('navigation').getByText('Audit events').count()).toBe(0);
  await other.context().close();
});

ifThere('shows a person of finance what the role may do, after a second factor is set up', async () => {
  await database.pool.query("UPDATE accounts.accounts SET role = 'finance' WHERE email = $1", [
    CUSTOMER.email,
  ]);
  const port = await findFreePort();
  const environment = {
    CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
    CONSOLE_URL: `http://127.0.0.1:${port}`,
    ...sandbox.consoleEnvironment(),
    STAFF_2FA: 'required',
  };
  const strict = await site.startConsole(environment, port);
  const context = await browser!.newContext({ baseURL: strict.url, locale: 'en-US', timezoneId: 'UTC' });
  const other = await context.newPage();
  await other.goto('/sign-in?next=/admin/dashboard');
  await new SignInPage(other).signIn(CUSTOMER);
  await other.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
  const security = new SecurityPage(other);
  const app = await security.beginSetup();
  await security.enterSetupCode(app.code());
  await security.keepRecoveryCodes();
  await other.getByRole('button', { name: 'Continue to the console' }).click();
  await other.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor();
  await other.getByRole('region', { name: 'Revenue from usage' }).waitFor();
  await other
    .getByRole('table', { name: 'Customers with the highest revenue' })
    .getByText(CUSTOMER.email)
    .waitFor();
  const areas = other.getByRole('navigation', { name: 'Areas of the console' });
  for (const name of ['Accounts', 'Payments of all accounts', 'Provider events', 'Exchange rates'])
    await areas.getByRole('link', { name, exact: true }).waitFor();
  for (const name of ['Staff', 'Audit events', 'Model packages', 'Releases', 'Health'])
    expect(await areas.getByRole('link', { name, exact: true }).count()).toBe(0);
  await openArea(other, 'Provider events');
  await other.getByText('Nothing to handle').waitFor();
  await openArea(other, 'Accounts');
  await other.getByRole('link', { name: ADMIN.email }).click();
  await other.getByRole('button', { name: 'Adjust balance' }).waitFor();
  expect(await other.getByRole('button', { name: 'Change role' }).count()).toBe(0);
  await other.goto('/admin/staff');
  await other.getByRole('heading', { name: 'There is no such page' }).waitFor();
  await context.close();
});

ifThere('lists the staff, and saves the list as a file', async () => {
  await openArea(tab, 'Staff');
  const row = tab.getByRole('row').filter({ hasText: CUSTOMER.email });
  await row.getByText('Finance').waitFor();
  await row.getByText('Authenticator app').waitFor();
  const arriving = tab.waitForEvent('download');
  await tab.getByRole('button', { name: 'Download CSV' }).click();
  const lines = (await textOf(await arriving)).split('\r\n');
  expect(lines[0]).toBe('id,email,role,since,given_by,provider,second_factor,last_used_at');
  expect(lines.some((line) => line.includes(`,${CUSTOMER.email},finance,`))).toBe(true);
});

const PICO_DIGITS = 12;
/** A decimal amount as whole picos. */
function picosOf(amount: string): bigint {
  const [whole = '0', decimals = ''] = amount.split('.');
  return BigInt(whole + decimals.padEnd(PICO_DIGITS, '0'));
}
