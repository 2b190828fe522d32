import { join } from 'node:path';
import { SandboxPayments } from '@inference/sandbox-payments';
import { createTestDatabase, type TestDatabase, waitFor } from '@inference/testing';
import { type Browser, type BrowserContext, type Page } from 'playwright-core';
import { launchChromium } from '../../site/chromium';
import { findProgram } from '../../site/nginx';
import { ROOT } from '../../site/service-process';
import { Site } from '../../site/site';
import { openArea } from '../billing-pages';
import { collectFaults } from '../browser-faults';
import { findInPalette, RegisterPage, SignInPage } from '../console-pages';
import { textOf } from './account-pages';

/** Payments, their banner and their documents in Chromium, against a real console and sandboxes of the providers. */

const PERSON = { email: 'ann@example.com', password: 'a password of this test' };

const chrome = findProgram('chromium');
const ifThere = chrome ? it : it.skip;

describe.each(['cn', 'intl'] as const)('payments at the site %s', (siteName) => {
  let database: TestDatabase;
  let sandbox: SandboxPayments;
  let site: Site;
  let browser: Browser | undefined;
  let context: BrowserContext;
  let tab: Page;
  const faults: string[][] = [];

  /** A tab of the same browser: it shares cookies and storage with the others. */
  async function openTab(path: string, origins: string[]): Promise<void> {
    tab = await context.newPage();
    faults.push(collectFaults(tab, origins));
    await tab.goto(path);
  }

  let origins: string[];

  beforeAll(async () => {
    database = await createTestDatabase();
    sandbox = await SandboxPayments.start({ site: siteName });
    site = new Site(database, { site: siteName });
    const { url } = await site.startConsole({
      ...sandbox.consoleEnvironment(),
      CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
    });
    await sandbox.deliverTo(url);
    if (!chrome) return;
    browser = await launchChromium(chrome);
    context = await browser.newContext({ baseURL: url, locale: 'en-US', timezoneId: 'UTC' });
    origins = [new URL(url).origin, new URL(sandbox.url).origin];
    await openTab('/register', origins);
    await new RegisterPage(tab).register(PERSON);
    await tab.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
    await sandbox?.stop();
    await database?.drop();
  });
  afterEach(() => {
    if (chrome) expect(faults.flat()).toEqual([]);
  });

  /** Orders a top-up of the amount; resolves at its page or at the provider. */
  async function topUp(amount: string, provider?: string): Promise<void> {
    await openArea(tab, 'Top up');
    if (provider !== undefined) await tab.getByRole('radio', { name: provider }).check();
    await tab.getByRole('textbox', { name: 'Amount' }).fill(amount);
    await tab.getByRole('button', { name: 'Pay' }).click();
  }

  const paymentId = async () =>
    (
      await waitFor(async () => {
        const { rows } = await database.pool.query<{ id: string }>(
          'SELECT id FROM billing.payments ORDER BY created_at DESC LIMIT 1',
        );
        return rows[0] ?? null;
      })
    ).id;
  const untilStatus = (id: string, status: string) =>
    waitFor(async () => {
      const { rows } = await database.pool.query<{ status: string }>(
        'SELECT status FROM billing.payments WHERE id = $1',
        [id],
      );
      return rows[0]?.status === status;
    });
  const credits = async () =>
    (
      await database.pool.query<{ sum: string; count: number }>(
        `SELECT sum(amount_picos)::text, count(*)::int FROM wallet.entries WHERE ledger_account LIKE 'wallet:%'`,
      )
    ).rows[0];
  const notices = (page = tab) => page.getByRole('region', { name: 'Open payments' });

  /** Orders a top-up by Alipay and pays it after its time. */
  async function payLate(amount: string): Promise<void> {
    await topUp(amount, 'Alipay');
    await tab.getByRole('img', { name: 'Code for the payment' }).waitFor();
    const id = await paymentId();
    await openArea(tab, 'API keys');
    await notices().getByText(`Your payment of ¥${amount}.00 is not complete.`).waitFor();
    await database.pool.query(
      'UPDATE billing.payments SET expires_at = now(), next_check_at = now() WHERE id = $1',
      [id],
    );
    await untilStatus(id, 'expired');
    await notices().getByText(`¥${amount}.00`).waitFor({ state: 'detached' });
    await sandbox.injectFaults({ paid_after_expiry: true });
    await sandbox.act(id, 'pay');
    await untilStatus(id, 'paid');
  }

  ifThere.each(['10,50', '1,050', '1.050', '1.050,00'])('no payment is ordered for %s', async (amount) => {
    await topUp(amount);
    await tab.getByText('Write a point before the decimals').waitFor();
    const { rows } = await database.pool.query('SELECT id FROM billing.payments');
    expect(rows).toEqual([]);
  });

  ifThere('the button says what is paid', async () => {
    await openArea(tab, 'Top up');
    await tab.getByRole('textbox', { name: 'Amount' }).fill('10.5');
    const symbol = siteName === 'cn' ? '¥' : '$';
    await tab.getByRole('button', { name: `Pay ${symbol}10.50`, exact: true }).waitFor();
  });

  if (siteName === 'cn') {
    ifThere('a code paid after its page was closed is credited once, and told after reopening', async () => {
      await topUp('88.5', 'WeChat Pay');
      await tab.getByRole('img', { name: 'Code for the payment' }).waitFor();
      await tab.getByRole('timer').waitFor();
      const id = await paymentId();
      await openArea(tab, 'API keys');
      await notices().getByText('Your payment of ¥88.50 is not complete.').waitFor();
      await tab.reload();
      await notices().getByRole('link', { name: 'Continue payment' }).waitFor();
      await tab.close();

      await sandbox.act(id, 'pay');
      await untilStatus(id, 'paid');
      await openTab('/keys', origins);
      await notices().getByText('¥88.50 has been added to your balance.').waitFor();
      expect(await credits()).toEqual({ sum: '88500000000000', count: 1 });
      await notices().getByRole('button', { name: 'Hide the notice about ¥88.50' }).click();
      await notices().getByText('¥88.50').waitFor({ state: 'detached' });
      await tab.reload();
      await openArea(tab, 'Transactions');
      const table = tab.getByRole('table', { name: 'Transactions' });
      await table.getByRole('link', { name: 'Paid with WeChat Pay' }).waitFor();
      expect(await notices().getByText('¥88.50').count()).toBe(0);
    });

    ifThere('tells in every browser that money has arrived late, until it is closed in one', async () => {
      await payLate('20');
      const late = 'Your payment of ¥20.00 arrived late and was added to your balance.';
      const other = await (
        await browser!.newContext({ baseURL: origins[0]!, locale: 'en-US', timezoneId: 'UTC' })
      ).newPage();
      await other.goto('/sign-in?next=/keys');
      await new SignInPage(other).signIn(PERSON);
      await notices(other).getByText(late).waitFor();
      await tab.reload();
      await notices().getByText(late).waitFor();
      await notices(other).getByRole('button', { name: 'Hide the notice about ¥20.00' }).click();
      await notices(other).getByText(late).waitFor({ state: 'detached' });
      const asked = tab.waitForResponse(/\/api\/billing\/payments\?/);
      await tab.reload();
      await asked;
      await openArea(tab, 'Transactions');
      await tab.getByRole('table', { name: 'Transactions' }).waitFor();
      expect(await notices().getByText('¥20.00').count()).toBe(0);

      await payLate('30');
      await tab.reload();
      await notices().getByText('Your payment of ¥30.00 arrived late').waitFor();
      await notices().getByRole('link', { name: 'Show the payment' }).click();
      await tab.getByText('Your payment arrived after the time to pay had run out.').waitFor();
      await waitFor(async () => {
        const { rows } = await database.pool.query<{ count: number }>(
          'SELECT count(*)::int FROM billing.payments WHERE ended_at IS NOT NULL AND seen_at IS NOT NULL',
        );
        return rows[0]!.count === 2;
      });
      await openArea(tab, 'API keys');
      await notices().getByText('¥30.00').waitFor({ state: 'detached' });
      expect(await credits()).toEqual({ sum: '138500000000000', count: 3 });
      await other.context().close();
    });

    ifThere('orders an invoice for one of several payments and downloads it', async () => {
      await openArea(tab, 'Receipts and invoices');
      await tab.getByRole('heading', { name: 'No invoices yet' }).waitFor();
      await tab.getByRole('button', { name: 'Request an invoice' }).click();
      const dialog = tab.getByRole('dialog');
      await dialog.getByRole('combobox', { name: 'Payment' }).click();
      await tab.getByRole('option', { name: /^¥88\.50/ }).click();
      await dialog.getByRole('textbox', { name: 'Name on the invoice' }).fill('上海某某信息技术有限公司');
      await dialog.getByRole('button', { name: 'Request the invoice' }).click();
      await dialog.getByText('Enter the tax ID of the company.').waitFor();
      await dialog.getByRole('textbox', { name: 'Tax ID' }).fill('91310000MA1FL0AB3C');
      await dialog.getByRole('button', { name: 'Request the invoice' }).click();
      const row = tab.getByRole('table', { name: 'Invoices' }).getByRole('row', { name: '上海某某' });
      await row.getByText('¥88.50').waitFor();
      const arriving = tab.waitForEvent('download');
      await row.getByRole('button', { name: /^Download the invoice INV-/ }).click();
      const file = await arriving;
      expect(file.suggestedFilename()).toMatch(/\.pdf$/);
      expect(await textOf(file)).toMatch(/^%PDF-/);
    });

    describe('on a phone', () => {
      let phone: Page;
      beforeAll(async () => {
        if (!browser) return;
        const device = await browser.newContext({
          baseURL: origins[0]!,
          locale: 'en-US',
          timezoneId: 'UTC',
          viewport: { width: 390, height: 844 },
          hasTouch: true,
          isMobile: true,
        });
        phone = await device.newPage();
        faults.push(collectFaults(phone, origins));
        await phone.goto('/sign-in?next=/top-up');
        await new SignInPage(phone).signIn(PERSON);
        await phone.getByRole('heading', { name: 'Top up', level: 1 }).waitFor();
      });
      afterAll(() => phone?.context().close());

      async function order(provider: string): Promise<string> {
        await phone.goto('/top-up?amount=31.5');
        await phone.getByRole('radio', { name: provider }).check();
        await phone.getByRole('button', { name: 'Pay ¥31.50', exact: true }).click();
        await phone.getByRole('img', { name: 'Code for the payment' }).waitFor();
        const { rows } = await database.pool.query<{ url: string }>(
          'SELECT checkout_url AS url FROM billing.payments WHERE id = $1',
          [await paymentId()],
        );
        return rows[0]!.url;
      }

      ifThere('Alipay opens with the code', async () => {
        const code = await order('Alipay');
        const href = await phone.getByRole('link', { name: 'Open Alipay' }).getAttribute('href');
        expect(new URL(href!).protocol).toBe('alipays:');
        expect(new URL(href!).searchParams.get('qrcode')).toBe(code);
        const { scrollWidth } = await phone.locator('html').evaluate((page) => ({
          scrollWidth: page.scrollWidth,
        }));
        expect(scrollWidth).toBe(390);
      });

      ifThere('the code of WeChat Pay is kept as a picture', async () => {
        await order('WeChat Pay');
        await phone.getByText('choose the code from your album').waitFor();
        await phone.getByRole('link', { name: 'Open WeChat' }).waitFor();
        const saving = phone.waitForEvent('download');
        await phone.getByRole('button', { name: 'Save the code' }).click();
        const picture = await saving;
        expect(picture.suggestedFilename()).toBe('payment-code.png');
        const chunks: Buffer[] = [];
        for await (const chunk of await picture.createReadStream()) chunks.push(chunk as Buffer);
        expect(Buffer.concat(chunks).subarray(1, 4).toString()).toBe('PNG');
      });
    });
    return;
  }

  ifThere('the card leads to Stripe and back, and the payment has its receipt', async () => {
    await topUp('20');
    await tab.waitForURL((url) => url.origin === new URL(sandbox.url).origin);
    const id = await paymentId();
    await tab.getByRole('button', { name: 'Pay', exact: true }).click();
    await untilStatus(id, 'paid');
    await tab.getByRole('link', { name: 'Back to the merchant', exact: true }).click();
    await tab.waitForURL(`${origins[0]}/payments/${id}`);
    await tab.getByText('Payment received').waitFor();
    await openArea(tab, 'Receipts and invoices');
    await findInPalette(tab, id);
    await tab.waitForURL(`**/payments/${id}`);
    await openArea(tab, 'Receipts and invoices');
    const arriving = tab.waitForEvent('download');
    await tab.getByRole('button', { name: /^Download the receipt of / }).click();
    const file = await arriving;
    expect(file.suggestedFilename()).toMatch(/^receipt-R-.*\.html$/);
    expect(await textOf(file)).toContain('20.00');
    expect(await credits()).toEqual({ sum: '20000000000000', count: 1 });
  });
});
