import { waitFor } from '@inference/testing';
import { type Browser, type Page } from 'playwright-core';
import { launchChromium } from '../../site/chromium';
import { findProgram } from '../../site/nginx';
import { openArea, UsagePage } from '../billing-pages';
import { type RunningSite, signIn, startSite } from './running-site';
import { bookUsage, type PastCall, seedCalls, seedHours } from './seeded-usage';

/** Proof, exact figures, days of time zones, long tables, palette and tray in Chromium, on both sites. */

const LARGE = '1234567.123456789012';
const LARGE_PICOS = 1_234_567_123_456_789_012n;
const PICO = '0.000000000001';
/** Around midnight in the three zones, and around the change of the clocks of New York on 8 March at 07:00 UTC. */
const CLOCK_CALLS: PastCall[] = [
  { id: 'call-1', at: '2026-03-07T15:59:59Z', costPicos: 1n },
  { id: 'call-2', at: '2026-03-07T16:00:00Z', costPicos: 10n },
  { id: 'call-3', at: '2026-03-08T04:59:59Z', costPicos: 100n },
  { id: 'call-4', at: '2026-03-08T05:00:00Z', costPicos: 1_000n },
  { id: 'call-5', at: '2026-03-09T03:59:59Z', costPicos: 10_000n },
  { id: 'call-6', at: '2026-03-09T04:00:00Z', costPicos: 100_000n },
];
const CLOCK_DAYS = '/usage?range=custom&from=2026-03-07&to=2026-03-09';
/** In picos, the last day first, as the table shows them. */
const DAYS = {
  UTC: [110_000n, 1_100n, 11n],
  'Asia/Shanghai': [110_000n, 1_110n, 1n],
  'America/New_York': [100_000n, 11_000n, 111n],
};
const HOURS = 31 * 24;
const SOURCES = 135;
const ROWS = HOURS * SOURCES;
/** Measured: a page with a long table in sight has about 1,300 elements; all rows would be over 500,000. */
const MOST_ELEMENTS = 4_000;
/** Those in sight and 20 on each side. */
const MOST_ROWS = 100;

const chrome = findProgram('chromium');
const ifThere = chrome ? describe : describe.skip;

const running: RunningSite[] = [];
let browser: Browser;

const proofOf = (tab: Page) => tab.getByRole('region', { name: 'Proof of this period' });
const picosOf = (amount: string): bigint => {
  const [whole = '0', decimals = ''] = amount.split('.');
  return BigInt(whole + decimals.padEnd(12, '0'));
};

beforeAll(async () => {
  if (chrome) browser = await launchChromium(chrome);
});
afterAll(async () => {
  await browser?.close();
  for (const site of running) await site.stop();
});

ifThere('a site that charges in USD', () => {
  let site: RunningSite;
  let tab: Page;
  let faults: string[];

  beforeAll(async () => {
    site = await startSite('intl');
    running.push(site);
    const { database, accountId } = site;
    await seedCalls(database, accountId, 'large', [
      { id: 'call-large', at: '2026-02-03T10:00:00Z', costPicos: LARGE_PICOS },
    ]);
    await seedCalls(database, accountId, 'clocks', CLOCK_CALLS);
    await seedHours(database, accountId, {
      model: 'bulk',
      from: '2026-01-01T00:00:00Z',
      hours: HOURS,
      entrypoints: SOURCES,
    });
    await bookUsage(database, accountId);
    ({ tab, faults } = await signIn(browser, site));
  });
  afterEach(() => expect(faults).toEqual([]));

  const get = (path: string, accept = 'application/json') =>
    fetch(site.consoleUrl + path, {
      headers: { Authorization: `Bearer ${site.token}`, Accept: accept },
    }).then((answer) => answer.text());

  it('shows, copies and exports 1234567.123456789012 unchanged, and proves it', async () => {
    await tab.goto('/usage?range=custom&from=2026-02-01&to=2026-02-28&zone=UTC');
    const page = new UsagePage(tab);
    await page.table('Details').waitFor();
    expect(await page.costs('Sums')).toEqual([LARGE, LARGE]);
    const csv = await page.csv();
    expect(csv).toContain(`,${LARGE},USD`);
    expect(csv).toBe(
      await get('/api/billing/usage?from=2026-02-01&to=2026-03-01&time_zone=UTC&granularity=day', 'text/csv'),
    );
    const proof = proofOf(tab);
    await proof.getByText('agree to the last digit').waitFor();
    expect(
      await proof.locator('data').evaluateAll((all) => all.map((one) => one.getAttribute('value'))),
    ).toEqual([LARGE, LARGE, LARGE]);
    const amount = page.table('Sums').locator('data').last();
    await amount.selectText();
    await tab.keyboard.press('Control+C');
    expect(await tab.evaluate('navigator.clipboard.readText()')).toBe(LARGE);
  });

  it.each(Object.entries(DAYS))(
    'adds up the days of %s across a change of the clocks',
    async (zone, days) => {
      await tab.goto(`${CLOCK_DAYS}&zone=${encodeURIComponent(zone)}`);
      const page = new UsagePage(tab);
      await page.table('Details').waitFor();
      await page.table('Details').locator('tbody data').first().waitFor();
      const costs = await tab
        .getByRole('table', { name: 'Details' })
        .locator('tbody tr')
        .evaluateAll((rows) =>
          rows.map((row) => [...row.querySelectorAll('data')].at(-1)!.getAttribute('value')!),
        );
      expect(costs.map(picosOf)).toEqual(days);
      // The days of all three zones begin at whole hours.
      await proofOf(tab).getByText('agree to the last digit').waitFor();
      await tab.getByRole('link', { name: 'Why this cost' }).first().click();
      await tab.getByText(`Times are in ${zone}.`).waitFor();
      const calls = tab.getByRole('table', { name: 'Requests' }).locator('tbody tr');
      await calls.locator('data').first().waitFor();
      const shown = await calls.evaluateAll((rows) =>
        rows.map((row) => row.querySelector('data[value^="0.0"]')!.getAttribute('value')!),
      );
      expect(shown.map(picosOf).reduce((sum, cost) => sum + cost, 0n)).toBe(days[0]);
    },
  );

  it('shows 100,000 rows of usage with few of them in the document', async () => {
    await tab.goto('/usage?range=custom&from=2026-01-01&to=2026-01-31&zone=UTC&bucket=hour&group=entrypoint');
    const table = tab.getByRole('table', { name: 'Details' });
    await table.waitFor();
    expect(await table.getAttribute('aria-rowcount')).toBe(String(ROWS + 1));
    expect(await table.locator('tbody tr').count()).toBeLessThan(MOST_ROWS);
    await table.locator('tr[aria-rowindex="2"]').waitFor();
    await tab
      .getByRole('region', { name: 'Details' })
      .evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await table.locator(`tr[aria-rowindex="${ROWS + 1}"]`).waitFor();
    expect(await table.locator('tbody tr').count()).toBeLessThan(MOST_ROWS);
  });

  it('loads the request log by scrolling, and saves all of it', async () => {
    await tab.goto('/requests?model=bulk&zone=UTC');
    const table = tab.getByRole('table', { name: 'Requests' });
    await tab.getByRole('button', { name: 'Show more' }).click();
    await table.locator('tbody tr').nth(150).waitFor();
    await tab.getByRole('button', { name: 'Show more' }).click();
    await tab.locator('table[aria-rowcount="-1"]').waitFor();
    const region = tab.getByRole('region', { name: 'Requests' });
    const lastRow = table.locator('tbody tr[aria-rowindex]').last();
    // Rows that come into sight are measured, and the end of the table moves on with each page that arrives.
    await waitFor(async () => {
      await region.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return Number(await lastRow.getAttribute('aria-rowindex')) > 500;
    });
    expect(await tab.locator('*').count()).toBeLessThan(MOST_ELEMENTS);
    const arriving = tab.waitForEvent('download');
    await tab.getByRole('button', { name: 'Download CSV' }).click();
    const chunks: Buffer[] = [];
    for await (const chunk of await (await arriving).createReadStream()) chunks.push(chunk as Buffer);
    const csv = Buffer.concat(chunks).toString();
    expect(csv === (await get('/api/billing/requests?model=bulk', 'text/csv'))).toBe(true);
    expect(csv.split('\r\n')).toHaveLength(ROWS + 2);
    await tab.getByRole('button', { name: /^Activities/ }).click();
    await tab.getByRole('dialog', { name: 'Activities' }).getByText('Export · Done').waitFor();
    await tab.keyboard.press('Escape');
  });

  it('finds a page and a key by keyboard alone, and says if nothing fits', async () => {
    await fetch(`${site.consoleUrl}/api/api-keys`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${site.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'nightly build' }),
    });
    await tab.goto('/overview');
    await tab.getByRole('heading', { level: 1 }).waitFor();
    await tab.keyboard.press('Control+K');
    const field = tab.getByRole('textbox', { name: 'Find anything' });
    await field.waitFor();
    await tab.keyboard.type('no such thing');
    await tab.getByText('Nothing found').waitFor();
    await field.fill('nightly');
    await tab.getByRole('button', { name: /nightly build/ }).waitFor();
    await tab.keyboard.press('ArrowDown');
    await tab.keyboard.press('Enter');
    await tab.waitForURL('**/keys');
  });

  it('finds a request by its id or that of its client, and says that there is none', async () => {
    await site.database.pool.query(
      `INSERT INTO metering.client_request_ids
       SELECT 'job 4711', account_id, occurred_at, request_id FROM metering.usage_events WHERE request_id = 'call-large'`,
    );
    await tab.goto('/requests');
    const form = tab.getByRole('search', { name: 'Find a request' });
    await form.getByRole('textbox').fill(' job 4711 ');
    await tab.keyboard.press('Enter');
    await tab.waitForURL('**/requests?client_request_id=*');
    await tab.getByRole('textbox', { name: 'Client request ID', exact: true }).waitFor();
    await tab.getByRole('link').and(tab.locator('[href="/requests/call-large"]')).waitFor();
    const rows = tab.getByRole('table').locator('tbody').getByRole('row');
    await waitFor(async () => (await rows.count()) === 1);
    await form.getByRole('textbox').fill('job of nobody');
    await form.getByRole('button').click();
    await tab.getByText('No calls match these filters').waitFor();
    await form.getByRole('textbox').fill('req_0Vc3kZ8dQ1mXw7RtYb2LsA');
    await form.getByRole('button').click();
    await tab.waitForURL('**/requests/req_0Vc3kZ8dQ1mXw7RtYb2LsA');
    await tab.getByRole('alert').waitFor();
  });

  it('shows the difference of one pico, and goes on without the cost report', async () => {
    await site.database.pool.query(
      "UPDATE metering.hourly_rollup SET cost_picos = cost_picos + 1 WHERE account_id = $1 AND model = 'large'",
      [site.accountId],
    );
    await tab.goto('/usage?range=custom&from=2026-02-01&to=2026-02-28&zone=UTC');
    const proof = proofOf(tab);
    await proof.getByText('The sums of this period differ').waitFor();
    await proof.locator(`data[value="-${PICO}"]`).first().waitFor();
    await site.stopRouterCost();
    await tab.goto(`${CLOCK_DAYS}&zone=UTC`);
    await proof.getByText('The cost report cannot be reached at the moment').waitFor();
    await proof.getByText('Usage and transactions agree to the last digit').waitFor();
  });
});

ifThere('a site that charges in CNY', () => {
  it('compares the cost report with the stored USD costs', async () => {
    const site = await startSite('cn');
    running.push(site);
    await seedCalls(site.database, site.accountId, 'chat', [
      {
        id: 'call-cn',
        at: '2026-02-03T10:00:00Z',
        costPicos: 7_000_000_000_000n,
        costUsdPicos: 1_000_000_000_001n,
      },
    ]);
    await bookUsage(site.database, site.accountId);
    const { tab, faults } = await signIn(browser, site);
    await tab.goto('/usage?range=custom&from=2026-02-01&to=2026-02-28');
    const proof = proofOf(tab);
    await proof.getByText('agree to the last digit').waitFor();
    const sums = await proof.locator('dd').allInnerTexts();
    expect(sums.map((text) => text.trim())).toEqual([
      '¥7.00 CNY',
      '¥7.00 CNY',
      '$1.000000000001 USD',
      '$1.000000000001 USD',
    ]);
    await openArea(tab, 'Requests');
    await tab.getByRole('table', { name: 'Requests' }).getByText('chat').first().waitFor();
    expect(faults).toEqual([]);
  });
});
