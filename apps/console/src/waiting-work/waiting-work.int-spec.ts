import { newId } from '@inference/database';
import { metricsOf, valueOf, waitFor } from '@inference/testing';
import { PaymentSite } from '../billing/payments/payments.fixture';
import { type SignedIn } from '../testing/console.fixture';

const PROVIDER = 'card_provider';
const waiting = (kind: string, provider = '') =>
  `console_waiting_items{kind="${kind}",provider="${provider}"}`;
const age = (kind: string, provider = '') =>
  `console_oldest_waiting_item_seconds{kind="${kind}",provider="${provider}"}`;

let payments: PaymentSite;
let account: SignedIn;

beforeAll(async () => {
  payments = await PaymentSite.start('intl');
  await payments.sandbox.injectFaults({ drop: true });
  account = await payments.site.signedIn();
});
afterAll(() => payments?.stop());

const scrape = () => metricsOf(payments.site.console.app);

/** Polls the metrics, which are a few seconds old, until these series have these values; returns the text. */
const until = (expected: Record<string, number>): Promise<string> =>
  waitFor(async () => {
    const text = await scrape();
    return Object.entries(expected).every(([series, value]) => valueOf(text, series) === value) && text;
  });

it('counts pending payments by provider until they are paid or expire', async () => {
  const paid = await payments.open(account, PROVIDER);
  const expired = await payments.open(account, PROVIDER);
  const text = await until({ [waiting('payment', PROVIDER)]: 2 });
  expect(valueOf(text, age('payment', PROVIDER))).toBeGreaterThan(0);
  expect(valueOf(text, waiting('payment', 'wallet_pay_provider'))).toBe(0);
  expect(valueOf(text, age('payment', 'wallet_pay_provider'))).toBe(0);
  await payments.sandbox.act(paid.id, 'pay');
  await payments.checkSoon(paid.id);
  await payments.expireNow(expired.id);
  await until({
    [waiting('payment', PROVIDER)]: 0,
    [`console_payments_total{provider="${PROVIDER}",status="paid"}`]: 1,
    [`console_payments_total{provider="${PROVIDER}",status="expired"}`]: 1,
  });
});

it('counts refunds, invoices and mails that wait', async () => {
  const { pool } = payments.site.database;
  const { id } = await payments.open(account, PROVIDER);
  const far = "now() + interval '1 day'";
  await pool.query(
    `INSERT INTO billing.refunds (id, payment_id, amount_minor, ordered_by, created_at, next_check_at)
     VALUES ($1, $2, 100, $3, now() - interval '1 hour', ${far})`,
    [newId('ref'), id, account.accountId],
  );
  await pool.query(
    `INSERT INTO accounts.mail_outbox (id, kind, account_id, created_at, next_attempt_at)
     VALUES ($1, 'password_changed', $2, now() - interval '2 hours', ${far})`,
    [newId('mail'), account.accountId],
  );
  const text = await waitFor(async () => {
    const found = await scrape();
    return (
      valueOf(found, waiting('refund', PROVIDER)) === 1 && valueOf(found, age('mail'))! >= 7_200 && found
    );
  });
  expect(valueOf(text, age('refund', PROVIDER))).toBeGreaterThanOrEqual(3_600);
  expect(valueOf(text, waiting('mail'))).toBeGreaterThanOrEqual(1);
  expect([valueOf(text, waiting('invoice')), valueOf(text, age('invoice'))]).toEqual([0, 0]);
});
