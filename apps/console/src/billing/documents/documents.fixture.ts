import { type Executor, newId } from '@inference/database';
import { type PaymentProviderName } from '../payment-providers/payment-provider';
import { type Payment, type PaymentStatus, type RefundStatus } from '../payments/payment.entity';
import { findPayment } from '../payments/payments.repository';

interface PaymentOptions {
  provider?: PaymentProviderName;
  status?: PaymentStatus;
  amountMinor?: bigint;
  payerName?: string | null;
  payerEmail?: string | null;
}

const INSERT = `
  INSERT INTO billing.payments (id, account_id, provider, amount_minor, currency, status, provider_reference,
    payer_name, payer_email, created_at, expires_at, paid_at, ended_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, '2026-11-21T14:59:00Z', now(), $10, CASE WHEN $6 IN ('failed', 'expired') THEN now() END)`;

/** Inserts a payment; by default one that was paid by card on the international site. */
export async function insertPayment(
  executor: Executor,
  accountId: string,
  options: PaymentOptions = {},
): Promise<Payment> {
  const { provider = 'card_provider', status = 'paid', amountMinor = 123_456n } = options;
  const id = newId('pay');
  const isPaid = status === 'paid';
  await executor.query(INSERT, [
    id,
    accountId,
    provider,
    amountMinor,
    provider === 'card_provider' ? 'USD' : 'CNY',
    status,
    isPaid ? `ref_${id}` : null,
    options.payerName ?? null,
    options.payerEmail ?? null,
    isPaid ? '2026-11-21T15:00:00Z' : null,
  ]);
  return (await findPayment(executor, id))!;
}

/** Inserts a refund, ordered by the payment's own account; by default one of the whole payment that has succeeded. */
export async function insertRefund(
  executor: Executor,
  { id: paymentId, accountId, amountMinor }: Payment,
  options: { amountMinor?: bigint; status?: RefundStatus; reason?: string } = {},
): Promise<string> {
  const id = newId('rfd');
  await executor.query(
    `INSERT INTO billing.refunds (id, payment_id, amount_minor, status, reason, ordered_by, ended_at)
     VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $4 <> 'pending' THEN now() END)`,
    [
      id,
      paymentId,
      options.amountMinor ?? amountMinor,
      options.status ?? 'succeeded',
      options.reason ?? null,
      accountId,
    ],
  );
  return id;
}

/** Markup, line breaks, control characters, direction marks and characters that fonts lack. */
export const HOSTILE_TEXT =
  '<script>alert("1")</script>\r\nX-Injected: 1\u0007 \u202egnp.exe\u2066 \u{1f600} \u0627\u0644 e\u0301 & \u{20bb7}\u91ce\u5bb6';
