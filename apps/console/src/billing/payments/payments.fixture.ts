import { waitFor } from '@inference/testing';
import { SandboxPayments } from '@inference/sandbox-payments';
import { type Answer, type SignedIn, TestSite } from '../../testing/console.fixture';
import { type PaymentProviderName } from '../payment-providers/payment-provider';

export type Site = 'intl' | 'cn';

export interface PaymentBody {
  id: string;
  provider: PaymentProviderName;
  amount: number;
  currency: string;
  status: string;
  paid_at: string | null;
  ended_at: string | null;
  seen_at: string | null;
  provider_reference?: string;
  created_at: string;
  refunded_amount: number;
  refunds: { id: string; amount: number; status: string; created_at: string; reason?: string }[];
  checkout?: { type: string; url: string; expires_at: string };
}

/** Every provider with its site. */
export const PROVIDERS: [PaymentProviderName, Site][] = [
  ['card_provider', 'intl'],
  ['messaging_pay_provider', 'cn'],
  ['wallet_pay_provider', 'cn'],
];

/** Origin of another site's pages, to which payers may return. */
export const SHOP = 'https://shop.test';

/** A console connected to a sandbox of its site's providers. */
export class PaymentSite {
  private constructor(
    readonly sandbox: SandboxPayments,
    readonly site: TestSite,
  ) {}

  static async start(site: Site, environment: Record<string, string> = {}): Promise<PaymentSite> {
    const sandbox = await SandboxPayments.start({ site });
    const testSite = await TestSite.start({
      SITE: site,
      ...sandbox.consoleEnvironment(),
      CORS_ORIGINS: SHOP,
      ...environment,
    });
    await sandbox.deliverTo(testSite.console.url);
    return new PaymentSite(sandbox, testSite);
  }

  async stop(): Promise<void> {
    await this.site.stop();
    await this.sandbox.stop();
  }

  create(
    { token }: SignedIn,
    json: Record<string, unknown>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.site.console.request('POST', '/api/billing/payments', { token, json, headers });
  }

  async open(account: SignedIn, provider: PaymentProviderName, amount = 20): Promise<PaymentBody> {
    const answer = await this.create(account, { provider, amount });
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    return answer.body as PaymentBody;
  }

  async read({ token }: SignedIn, id: string): Promise<PaymentBody> {
    return (await this.site.console.request('GET', `/api/billing/payments/${id}`, { token }))
      .body as PaymentBody;
  }

  waitForStatus(account: SignedIn, id: string, status: string): Promise<PaymentBody> {
    return waitFor(async () => {
      const payment = await this.read(account, id);
      return payment.status === status ? payment : null;
    });
  }

  /** Stops polling for this payment, so that only notifications change it. */
  async stopChecking(paymentId: string): Promise<void> {
    await this.site.database.pool.query('UPDATE billing.payments SET next_check_at = NULL WHERE id = $1', [
      paymentId,
    ]);
  }

  /** Makes the payment due for a check now. */
  async checkSoon(paymentId: string): Promise<void> {
    await this.site.database.pool.query(
      'UPDATE billing.payments SET next_check_at = now(), claimed_until = NULL WHERE id = $1',
      [paymentId],
    );
  }

  /** Makes the payment's time end now, so that the next check closes it. */
  async expireNow(paymentId: string): Promise<void> {
    await this.site.database.pool.query(
      'UPDATE billing.payments SET expires_at = now(), next_check_at = now() WHERE id = $1',
      [paymentId],
    );
  }

  /** The wallet's balance in hundredths of the currency. */
  async balance(accountId: string): Promise<number> {
    const { rows } = await this.site.database.pool.query<{ balance: bigint }>(
      'SELECT (balance_picos / 10000000000)::bigint AS balance FROM wallet.wallets WHERE account_id = $1',
      [accountId],
    );
    return Number(rows[0]!.balance);
  }

  /** Waits for `count` deliveries of the payment's notifications and returns them. */
  deliveries(paymentId: string, count: number) {
    return waitFor(async () => {
      const { deliveries } = await this.sandbox.order(paymentId);
      return deliveries.length >= count ? deliveries : null;
    });
  }
}
