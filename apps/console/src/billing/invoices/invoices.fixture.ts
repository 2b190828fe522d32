import { type Answer, type SignedIn, TestSite } from '../../testing/console.fixture';
import { insertPayment } from '../documents/documents.fixture';
import { type Payment } from '../payments/payment.entity';

export const COMPANY = {
  type: 'company',
  title: '上海某某信息技术有限公司',
  tax_id: '91310000MA1FL0AB3C',
} as const;

export interface InvoiceBody {
  id: string;
  number: string;
  payment_id: string;
  email: string | null;
  status: string;
  issued_at: string;
}

export interface QueuedMail {
  accountId: string;
  params: { documentId: string };
}

/** A console of the China site with its own database. */
export class InvoiceSite {
  private constructor(readonly site: TestSite) {}

  static async start(environment: Record<string, string> = {}): Promise<InvoiceSite> {
    return new InvoiceSite(await TestSite.start({ SITE: 'cn', ...environment }));
  }

  stop(): Promise<void> {
    return this.site.stop();
  }

  insertPayment(accountId: string, options: Parameters<typeof insertPayment>[2] = {}): Promise<Payment> {
    return insertPayment(this.site.database.pool, accountId, { provider: 'wallet_pay_provider', ...options });
  }

  request(
    { token }: { token: string },
    json: Record<string, unknown>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.site.console.request('POST', '/api/billing/invoices', { token, json, headers });
  }

  /** Issues the invoice of a new payment. */
  async issue(account: SignedIn, changes: Record<string, unknown> = {}): Promise<InvoiceBody> {
    const { id } = await this.insertPayment(account.accountId);
    const answer = await this.request(account, { payment_id: id, ...COMPANY, ...changes });
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    return answer.body as InvoiceBody;
  }

  async mailsOf(documentId: string): Promise<QueuedMail[]> {
    const { rows } = await this.site.database.pool.query<QueuedMail>(
      `SELECT account_id AS "accountId", params FROM accounts.mail_outbox
       WHERE kind = 'invoice_issued' AND params->>'documentId' = $1`,
      [documentId],
    );
    return rows;
  }
}
