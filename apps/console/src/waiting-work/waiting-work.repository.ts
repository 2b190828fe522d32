import { type Executor } from '@inference/database';
import { PAYMENT_PROVIDERS } from '../billing/payment-providers/payment-provider';

export interface WaitingWork {
  kind: 'payment' | 'refund' | 'provider_event' | 'invoice' | 'mail';
  /** Of a payment, a refund or an event; otherwise empty. */
  provider: string;
  items: number;
  /** Age of the oldest one; 0 without one. */
  seconds: number;
}

/** Each part reads an index of what waits. `created_at` of a payment stands for the time at which its payer began. */
const COUNT = `
  WITH waiting AS (
    (SELECT 'payment' AS kind, provider, created_at FROM billing.payments WHERE status = 'pending'
     ORDER BY account_id LIMIT $1)
    UNION ALL
    SELECT 'refund', p.provider, r.created_at
    FROM (SELECT payment_id, created_at FROM billing.refunds WHERE due_at IS NOT NULL AND status = 'pending'
          ORDER BY due_at LIMIT $1) r
      JOIN billing.payments p ON p.id = r.payment_id
    UNION ALL
    (SELECT 'provider_event', provider, received_at FROM billing.provider_events WHERE closed_at IS NULL
     ORDER BY received_at DESC, id DESC LIMIT $1)
    UNION ALL
    SELECT 'invoice', '', d.issued_at
    FROM (SELECT document_id FROM billing.invoice_requests WHERE due_at IS NOT NULL ORDER BY due_at LIMIT $1) i
      JOIN billing.documents d ON d.id = i.document_id
    UNION ALL
    (SELECT 'mail', '', created_at FROM accounts.mail_outbox ORDER BY due_at LIMIT $1)
  ), kinds AS (
    SELECT kind, provider FROM (VALUES ('payment'), ('refund'), ('provider_event')) k (kind), unnest($2::text[]) p (provider)
    UNION ALL VALUES ('invoice', ''), ('mail', '')
  )
  SELECT kind, provider, count(created_at)::integer AS items,
    coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float8 AS seconds
  FROM kinds LEFT JOIN waiting USING (kind, provider) GROUP BY kind, provider`;

/** Pending payments and refunds, open events of providers, invoices that wait for their tax file, and mails to be sent. Counts at most `limit` of each kind. */
export async function readWaitingWork(executor: Executor, limit: number): Promise<WaitingWork[]> {
  return (await executor.query<WaitingWork>(COUNT, [limit, PAYMENT_PROVIDERS])).rows;
}
