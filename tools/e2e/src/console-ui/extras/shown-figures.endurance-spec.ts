import { SandboxPayments } from '@inference/sandbox-payments';
import { publishPrices, waitFor } from '@inference/testing';
import { type Browser, type Locator, type Page } from 'playwright-core';
import { launchChromium } from '../../site/chromium';
import { findProgram } from '../../site/nginx';
import { consoleBody } from '../../site/console-client';
import { linesWithAmounts } from '../billing-pages';
import { type RunningSite, signIn, startSite } from './running-site';
import { bookUsage, seedCalls } from './seeded-usage';

/** What the pages show adds up, digit by digit, as a person with a pencil would add it. */

const CLOSED = [
  { id: 'call-a', model: 'first', at: '2026-03-07T10:00:00Z', costPicos: 3_200_000_000n },
  { id: 'call-b', model: 'second', at: '2026-03-07T10:30:00Z', costPicos: 110_000_000n },
  { id: 'call-c', model: 'second', at: '2026-03-08T12:00:00Z', costPicos: 98_500_001n },
];
const OPEN_PICOS = 1_234_500_000_000n;
const TOTAL = OPEN_PICOS + CLOSED.reduce((sum, { costPicos }) => sum + costPicos, 0n);
/** In March, by day, model and upstream: what calls brought in and what they cost. */
const MARGINS = [
  ['2026-03-07', 'first', 'gpu-1', 3_200_000_001n, 1_100_000_003n],
  ['2026-03-07', 'second', 'gpu-2', 110_000_000n, 98_500_000_009n],
  ['2026-03-08', 'second', 'gpu-1', 98_500_001n, 7n],
] as const;
const CREDIT_PICOS = 20_000_000_000_000n;
const MODEL = 'sandbox-chat';
const FAILING = 'sandbox-chat+status=500';
const AMOUNT = /(-?)[$¥]([\d,]+)\.(\d+)/;
const PICO_DIGITS = 12;

const chrome = findProgram('chromium');
const ifThere = chrome ? describe : describe.skip;

let browser: Browser | undefined;

beforeAll(async () => {
  if (chrome) browser = await launchChromium(chrome);
});
afterAll(() => browser?.close());

/** An amount as it is written on the screen. */
function picosOf(shown: string): bigint {
  const [, sign = '', whole = '', decimals = ''] = AMOUNT.exec(shown) ?? [];
  if (whole === '') throw new Error(`no amount: ${shown}`);
  return BigInt(sign + whole.replaceAll(',', '') + decimals.padEnd(PICO_DIGITS, '0'));
}
const sumOf = (shown: string[]) => shown.map(picosOf).reduce((sum, amount) => sum + amount, 0n);

/** The last column that has amounts, as it is written: its rows, and its sum. */
async function columnOf(table: Locator): Promise<{ rows: string[]; sum: string }> {
  await table.locator('tfoot data').last().waitFor();
  const amounts = async (part: string) =>
    (await table.locator(`${part} data`).allInnerTexts()).filter((text) => AMOUNT.test(text));
  const [sum] = await amounts('tfoot');
  return { rows: await amounts('tbody'), sum: sum! };
}

const SITES = {
  intl: { symbol: '$', foreign: '¥', provider: 'card_provider' },
  cn: { symbol: '¥', foreign: '$', provider: 'wallet_pay_provider' },
} as const;

ifThere.each(['intl', 'cn'] as const)('the pages of an account at the site %s', (siteName) => {
  const { symbol, foreign, provider } = SITES[siteName];
  let site: RunningSite;
  let payments: SandboxPayments;
  let tab: Page;
  let faults: string[];
  let gatewayUrl: string;
  let key: string;

  const balance = () =>
    tab
      .locator('section', { has: tab.getByRole('heading', { name: 'Balance' }) })
      .locator('data')
      .first();

  /** Resolves with the id of the call in the request log. */
  async function callModel(model = MODEL, status = 200): Promise<string> {
    const answer = await fetch(`${gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    expect(answer.status).toBe(status);
    await answer.text();
    return answer.headers.get('X-Inference-Request-Id')!;
  }

  beforeAll(async () => {
    payments = await SandboxPayments.start({ site: siteName });
    site = await startSite(siteName, payments.consoleEnvironment());
    await payments.deliverTo(site.consoleUrl);
    const { database, accountId, consoleUrl, token } = site;
    await publishPrices(database.pool, [
      { slug: MODEL, unit: 'per_million_input_tokens', ratePicos: 150_001n },
      { slug: MODEL, unit: 'per_million_output_tokens', ratePicos: 599_999n },
      { slug: FAILING, unit: 'per_million_tokens', ratePicos: 1n },
    ]);
    if (siteName === 'cn') {
      const rates = [{ date: '2026-01-01', usd_per_unit: 0.1385 }];
      await consoleBody(consoleUrl, 'PUT', '/api/admin/billing/exchange-rates', { token, json: { rates } });
    }
    gatewayUrl = (await site.site.startGateway(await site.site.startEngine())).url;
    const credit = { account_id: accountId, amount: 20, description: 'To begin with' };
    await consoleBody(consoleUrl, 'POST', '/api/admin/billing/adjustments', {
      token,
      json: credit,
      status: 201,
    });
    const newKey = { token, json: { name: 'of this test' }, status: 201 };
    ({ key } = await consoleBody<{ key: string }>(consoleUrl, 'POST', '/api/api-keys', newKey));
    for (const { model, ...call } of CLOSED) await seedCalls(database, accountId, model, [call]);
    const now = new Date().toISOString();
    await seedCalls(database, accountId, 'first', [{ id: 'call-open', at: now, costPicos: OPEN_PICOS }]);
    await bookUsage(database, accountId);
    for (const [day, model, upstream, revenue, cost] of MARGINS)
      await database.pool.query(
        `INSERT INTO metering.daily_margins (day, account_id, model, upstream, calls, uncosted_calls, revenue_picos, uncosted_revenue_picos, cost_picos)
         VALUES ($1, $2, $3, $4, 1, 0, $5, 0, $6)`,
        [`${day}T00:00:00Z`, accountId, model, upstream, String(revenue), String(cost)],
      );
    ({ tab, faults } = await signIn(browser!, site));
  });
  afterAll(async () => {
    await tab?.context().close();
    await site?.stop();
    await payments?.stop();
  });
  afterEach(async () => {
    expect(faults).toEqual([]);
    // Reports of all accounts are in USD at both sites.
    if (!tab.url().includes('/cost-report'))
      expect(linesWithAmounts(await tab.locator('main').innerText(), foreign)).toEqual([]);
  });

  /** The tables of a report of the usage since March. */
  async function expectUsageAddsUp(): Promise<void> {
    for (const name of ['Sums', 'Details']) {
      const { rows, sum } = await columnOf(tab.getByRole('table', { name }));
      expect(sumOf(rows)).toBe(picosOf(sum));
      expect(picosOf(sum)).toBe(TOTAL);
      expect([...rows, sum].join()).not.toContain('≈');
    }
  }

  it('the rows of the usage add up to its sums, and its proof to the total', async () => {
    const today = new Date().toISOString().slice(0, 10);
    await tab.goto(`/usage?range=custom&from=2026-03-01&to=${today}&zone=UTC`);
    await expectUsageAddsUp();
    const proof = tab.getByRole('region', { name: 'Proof of this period' });
    const [usage] = await proof.locator('dd').allInnerTexts();
    const open = await proof.getByText('Not compared yet').innerText();
    expect(picosOf(open)).toBe(OPEN_PICOS);
    expect(picosOf(usage!) + picosOf(open)).toBe(TOTAL);
  });

  it('the usage that admins see of an account adds up to the same', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const period = `range=custom&from=2026-03-01&to=${today}&zone=UTC`;
    await tab.goto(`/admin/accounts/${site.accountId}?${period}`);
    await expectUsageAddsUp();
  });

  it('the report of all accounts adds up', async () => {
    await tab.goto('/cost-report?range=custom&from=2026-03-01&to=2026-03-31&by=model');
    const { rows, sum } = await columnOf(tab.getByRole('table', { name: 'Cost of all accounts' }));
    expect(rows).toHaveLength(2);
    expect(sumOf(rows)).toBe(picosOf(sum));
  });

  it('the transactions add up to what the closed hours cost', async () => {
    await tab.goto('/transactions');
    const table = tab.getByRole('table', { name: 'Transactions' });
    await table.locator('tbody data').first().waitFor();
    const amounts = await table.locator('tbody data').allInnerTexts();
    expect(sumOf(amounts)).toBe(CREDIT_PICOS + OPEN_PICOS - TOTAL);
  });

  it('the lines of a call add up to its cost, which is missing in the balance afterwards', async () => {
    await tab.goto('/overview');
    expect(picosOf(await balance().innerText())).toBe(CREDIT_PICOS);
    const requestId = await callModel();
    await tab.goto(`/requests/${requestId}`);
    const table = tab.getByRole('table', { name: 'Why this cost' });
    const { sum } = await columnOf(table);
    const lines = await table.locator('tbody td:last-child data').allInnerTexts();
    expect(lines).toHaveLength(2);
    expect(sumOf(lines)).toBe(picosOf(sum));
    await tab.getByRole('main').locator('dl').getByText(sum, { exact: true }).waitFor();
    await tab.goto('/overview');
    expect(picosOf(await balance().innerText())).toBe(CREDIT_PICOS - picosOf(sum));
  });

  it('a list says which of its amounts are shortened', async () => {
    await tab.goto('/requests');
    const table = tab.getByRole('table', { name: 'Requests' });
    await table.getByText(`${symbol}0.0032`, { exact: true }).waitFor();
    const shortened = table.getByText(`≈ ${symbol}0.0001`, { exact: true });
    expect(await shortened.getAttribute('value')).toBe('0.000098500001');
    await table.getByText(`≈ ${symbol}1.23`, { exact: true }).waitFor();
  });

  it('refused and failed calls are found by their status, with the reason and what to do', async () => {
    const refused = await callModel('no-such-model', 404);
    const failed = await callModel(FAILING, 502);
    const { consoleUrl, token } = site;
    await waitFor(async () => {
      const path = '/api/billing/requests?status=failed';
      const body = await consoleBody<{ requests: unknown[] }>(consoleUrl, 'GET', path, {
        token,
        status: 200,
      });
      return body.requests.length === 1;
    });
    await tab.goto('/requests');
    const table = tab.getByRole('table', { name: 'Requests' });
    const rows = table.locator('tbody tr');
    await rows.filter({ hasText: 'Refused' }).waitFor();
    await rows.filter({ hasText: 'Failed' }).waitFor();
    await tab.getByRole('combobox', { name: 'Status' }).click();
    await tab.getByRole('option', { name: 'Refused' }).click();
    await tab.waitForURL('**/requests?status=refused');
    await rows.filter({ hasText: 'Failed' }).waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(1);
    expect(await rows.innerText()).toContain('no-such-model');
    await tab.reload();
    await rows.filter({ hasText: 'Refused' }).waitFor();
    expect(await rows.count()).toBe(1);
    await rows.getByRole('link').click();
    await tab.waitForURL(`**/requests/${refused}`);
    await tab.getByText('model_not_found').waitFor();
    await tab.getByText('This site does not offer the model that the call named.').waitFor();
    await tab.getByRole('link', { name: 'See all models' }).waitFor();
    await tab.goto(`/requests/${failed}`);
    await tab.getByText('upstream_error').waitFor();
    await tab.getByText('502', { exact: true }).waitFor();
    expect(await tab.locator('main').innerText()).not.toContain('Why this cost');
  });

  it('the counts of calls are those of the log, also beside the period before', async () => {
    const today = new Date().toISOString().slice(0, 10);
    await tab.goto('/usage?range=custom&from=2026-03-08&to=2026-03-08&zone=UTC');
    const summary = tab.getByRole('region', { name: 'This period at a glance' });
    const card = (name: string) => summary.locator('> div > div').filter({ hasText: name });
    await card('Calls').first().getByText('vs. the period before: 2').waitFor();
    expect(await card('Calls').first().innerText()).toMatch(/^Calls\s+1\s+−50%/);
    expect(picosOf((await card('Cost').locator('data').allInnerTexts())[0]!)).toBe(CLOSED[2]!.costPicos);
    await tab.goto(`/usage?range=custom&from=2026-03-01&to=${today}&zone=UTC`);
    // The log of served calls is not longer than a page.
    const { consoleUrl, token } = site;
    const path = '/api/billing/requests?status=charged&limit=100';
    const { requests } = await consoleBody<{ requests: unknown[] }>(consoleUrl, 'GET', path, {
      token,
      status: 200,
    });
    await card('Calls').first().getByText(String(requests.length), { exact: true }).waitFor();
    await card('Calls').first().getByText('None in the period before').waitFor();
    await card('Refused calls').getByText('1', { exact: true }).waitFor();
    await card('Failed calls').getByText('1', { exact: true }).waitFor();
    for (const [option, range] of [
      ['Today', 'today'],
      ['Last 24 hours', '24h'],
    ] as const) {
      await tab.getByRole('combobox', { name: 'Period' }).click();
      await tab.getByRole('option', { name: option }).click();
      await tab.waitForURL(`**/usage?range=${range}**`);
      await card('Refused calls').getByText('1', { exact: true }).waitFor();
      const { rows, sum } = await columnOf(tab.getByRole('table', { name: 'Details' }));
      expect(sumOf(rows)).toBe(picosOf(sum));
    }
  });

  it('the margin is what the revenue exceeds the cost by, line by line and as a whole', async () => {
    await tab.goto('/admin/margin');
    await tab.getByLabel('First day', { exact: true }).fill('2026-03-01');
    await tab.getByLabel('Last day', { exact: true }).fill('2026-03-31');
    for (const group of ['Day', 'Model', 'Upstream', 'Account']) {
      await tab.getByRole('combobox', { name: 'Show by' }).click();
      await tab.getByRole('option', { name: group, exact: true }).click();
      const table = tab.getByRole('table', { name: 'Margin' });
      await table.getByRole('columnheader', { name: group, exact: true }).waitFor();
      const lines = await table
        .locator('tr:has(data)')
        .evaluateAll((rows) =>
          rows.map((row) => [...row.querySelectorAll('td')].slice(3, 6).map((cell) => cell.textContent)),
        );
      const [total, ...rows] = lines.reverse();
      for (const [revenue, cost, margin] of lines)
        expect(picosOf(revenue!) - picosOf(cost!)).toBe(picosOf(margin!));
      for (const column of [0, 1, 2])
        expect(sumOf(rows.map((row) => row[column]!))).toBe(picosOf(total![column]!));
    }
  });

  it('the models and the accounts of the dashboard add up to its revenue', async () => {
    await tab.goto('/admin/dashboard');
    await tab.getByText('7 days', { exact: true }).click();
    const card = tab.getByRole('region', { name: 'Revenue from usage', exact: true }).locator('data').first();
    const [{ cost }] = (
      await site.database.pool.query<{ cost: string }>(
        "SELECT sum(cost_picos)::text AS cost FROM metering.usage_events WHERE occurred_at > now() - interval '1 day'",
      )
    ).rows as [{ cost: string }];
    await waitFor(async () => picosOf(await card.innerText()) === BigInt(cost));
    for (const name of ['Models with the highest revenue', 'Customers with the highest revenue']) {
      const amounts = tab.getByRole('table', { name }).locator('tbody td[data-place=figure] data');
      await amounts.first().waitFor();
      expect(sumOf(await amounts.allInnerTexts())).toBe(BigInt(cost));
    }
  });

  it('payments without their refunds are what the transactions add, on all pages that list them', async () => {
    const { consoleUrl, token } = site;
    const json = { provider, amount: 20.37 };
    const ordered = { token, json, status: 201 };
    const { id } = await consoleBody<{ id: string }>(consoleUrl, 'POST', '/api/billing/payments', ordered);
    await payments.act(id, 'pay');
    await waitFor(async () => {
      const path = `/api/billing/payments/${id}`;
      return (await consoleBody<{ status: string }>(consoleUrl, 'GET', path, { token })).status === 'paid';
    });
    await consoleBody(consoleUrl, 'POST', `/api/admin/billing/payments/${id}/refund`, {
      token,
      json: { amount: 7.79 },
      status: 201,
    });
    await tab.goto('/transactions');
    const rows = tab.getByRole('table', { name: 'Transactions' }).locator('tbody tr');
    await rows.first().waitFor();
    const moved = (await rows.allInnerTexts()).filter((text) => /Top-up|Refund/.test(text));
    expect(moved).toHaveLength(2);
    for (const path of ['/payments', '/admin/payments']) {
      await tab.goto(path);
      const cells = tab.getByRole('main').getByRole('table').locator('tbody td[data-number] data');
      await cells.nth(1).waitFor();
      const [refunded, paid] = await cells.allInnerTexts();
      expect(picosOf(paid!) - picosOf(refunded!)).toBe(sumOf(moved));
    }
    await tab.goto(`/payments/${id}`);
    const refunds = tab.getByRole('table', { name: 'Refunds' }).locator('tbody data');
    await refunds.first().waitFor();
    const details = tab.getByRole('region', { name: 'Details' }).locator('data');
    const [paid, refunded] = await details.allInnerTexts();
    expect(sumOf(await refunds.allInnerTexts())).toBe(picosOf(refunded!));
    expect(picosOf(paid!) - picosOf(refunded!)).toBe(sumOf(moved));
  });
});
