import {
  BadRequestException,
  ConflictException,
  Inject,
  Injectable,
  NotFoundException,
} from '@nestjs/common';
import { inTransaction, newId, type Sql, SQL_POOL, type SqlPool } from '@inference/database';
import { scaledToDecimal } from '@inference/money';
import { postTransfer } from '@inference/wallet';
import { type Actor } from '../events/actor';
import { recordEvent } from '../events/security-events';
import { claimKey, type IdempotentRequest, keepAnswer } from '../idempotency/idempotent';
import { PaymentProviders } from '../payment-providers/payment-providers';
import { FIRST_CHECK_SECONDS } from './check-times';
import { type Payment, PAYMENT_COLUMNS } from './payment';
import { MINOR_DIGITS, minorToPicos } from './payments.dto';
import { findRefund, type NewRefund, type RefundView, refundView } from './refund';
import { RefundReconciler } from './refund-reconciler';

const LOCK_PAYMENT = `SELECT ${PAYMENT_COLUMNS} FROM billing.payments WHERE id = $1 FOR UPDATE`;
const INSERT = `
  INSERT INTO billing.refunds (id, payment_id, amount_minor, reason, ordered_by, next_check_at)
  VALUES ($1, $2, $3, $4, $5, clock_timestamp() + make_interval(secs => $6))
  ON CONFLICT (payment_id) WHERE status <> 'failed' DO NOTHING`;

@Injectable()
export class RefundsService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    private readonly providers: PaymentProviders,
    private readonly reconciler: RefundReconciler,
  ) {}

  /**
   * Takes the money out of the wallet first, so that it cannot be spent while the provider is asked. An answer with the
   * status `pending` means that the provider is still at it, or could not be reached: it is asked again until it tells.
   */
  async order(admin: Actor, paymentId: string, order: NewRefund, key: string | null): Promise<RefundView> {
    const request: IdempotentRequest = {
      accountId: admin.accountId,
      operation: 'refund',
      key,
      content: { paymentId, ...order },
    };
    const begun = await inTransaction(this.pool, async (client) => {
      const id = newId('rfd');
      const earlier = await claimKey(client, request, id);
      if (earlier) return { id: earlier.resourceId ?? '', answer: earlier.answer as RefundView | null };
      await this.begin(client, id, admin, paymentId, order);
      return { id, answer: null };
    });
    if (begun.answer) return begun.answer;
    await this.reconciler.checkNow(begun.id);
    const refund = await findRefund(this.pool, begun.id);
    if (!refund) throw new Error(`The refund ${begun.id} is not there.`);
    return keepAnswer(this.pool, request, refundView(refund));
  }

  private async begin(
    sql: Sql,
    refundId: string,
    admin: Actor,
    paymentId: string,
    order: NewRefund,
  ): Promise<void> {
    const payment = (await sql.query<Payment>(LOCK_PAYMENT, [paymentId])).rows[0];
    if (!payment) throw new NotFoundException('no such payment');
    if (payment.status !== 'paid') throw new ConflictException(`the payment is ${payment.status}`);
    if (!this.providers.find(payment.provider))
      throw new ConflictException(`the provider ${payment.provider} is not enabled here`);
    const amountMinor = order.amount ?? payment.amountMinor;
    if (amountMinor > payment.amountMinor) throw new BadRequestException('amount: is more than was paid');
    const inserted = await sql.query(INSERT, [
      refundId,
      paymentId,
      amountMinor,
      order.reason ?? null,
      admin.accountId,
      FIRST_CHECK_SECONDS,
    ]);
    if (inserted.rowCount === 0) throw new ConflictException('the payment was refunded before');
    const { accountId, provider } = payment;
    const transfer = await postTransfer(sql, {
      kind: 'adjustment',
      accountId,
      amountPicos: -minorToPicos(amountMinor),
      counterpart: `provider:${provider}`,
      reference: `refund:${refundId}`,
      description: `Refund of payment ${paymentId}`,
    });
    await recordEvent(sql, {
      type: 'admin.refund_ordered',
      accountId,
      actorId: admin.accountId,
      origin: admin.origin,
      details: {
        payment_id: paymentId,
        refund_id: refundId,
        transaction_id: transfer.id,
        amount: scaledToDecimal(amountMinor, MINOR_DIGITS),
      },
    });
  }
}
