import { publishPrices } from '@inference/testing';
import { type Browser, type Locator, type Page } from 'playwright-core';
import { launchChromium } from '../../site/chromium';
import { findProgram } from '../../site/nginx';
import { consoleBody } from '../../site/console-client';
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
const CREDIT_PICOS = 20_000_000_000_000n;
const MODEL = 'sandbox-chat';
const AMOUNT = /(-?)[$¥]([\d,]+)\.(\d+)/;
const PICO_DIGITS = 12;

const chrome = findProgram('chromium');
const ifThere = chrome ? describe : describe.skip;

let site: RunningSite | undefined;
let browser: Browser | undefined;

afterAll(async () => {
  await browser?.close();
  await site?.stop();
});

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

ifThere('the pages of an account', () => {
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
  async function callModel(): Promise<string> {
    const answer = await fetch(`${gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    expect(answer.status).toBe(200);
    return answer.headers.get('X-Inference-Request-Id')!;
  }

  beforeAll(async () => {
    site = await startSite('intl');
    const { database, accountId, consoleUrl, token } = site;
    await publishPrices(database.pool, [
      { slug: MODEL, unit: 'per_million_input_tokens', ratePicos: 150_001n },
      { slug: MODEL, unit: 'per_million_output_tokens', ratePicos: 599_999n },
    ]);
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
    browser = await launchChromium(chrome!);
    ({ tab, faults } = await signIn(browser, site));
  });
  afterEach(() => expect(faults).toEqual([]));

  it('the rows of the usage add up to its sums, and its proof to the total', async () => {
    const today = new Date().toISOString().slice(0, 10);
    await tab.goto(`/usage?range=custom&from=2026-03-01&to=${today}&zone=UTC`);
    for (const name of ['Sums', 'Details']) {
      const { rows, sum } = await columnOf(tab.getByRole('table', { name }));
      expect(sumOf(rows)).toBe(picosOf(sum));
      expect(picosOf(sum)).toBe(TOTAL);
      expect([...rows, sum].join()).not.toContain('≈');
    }
    const proof = tab.getByRole('region', { name: 'Proof of this period' });
    const [usage] = await proof.locator('dd').allInnerTexts();
    const open = await proof.getByText('Not compared yet').innerText();
    expect(picosOf(open)).toBe(OPEN_PICOS);
    expect(picosOf(usage!) + picosOf(open)).toBe(TOTAL);
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
    await table.getByText('$0.0032', { exact: true }).waitFor();
    const shortened = table.getByText('≈ $0.0001', { exact: true });
    expect(await shortened.getAttribute('value')).toBe('0.000098500001');
    await table.getByText('≈ $1.23', { exact: true }).waitFor();
  });
});
