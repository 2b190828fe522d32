import { Database, newId, type Transaction } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { postTransfer, withLeaseRecall } from '@inference/wallet';
import { BadRequestException, ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { type Actor } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import {
  claimIdempotencyKey,
  type IdempotentRequest,
  storeFirstAnswer,
} from '../idempotency/idempotency-keys';
import { PaymentProviders } from '../payment-providers/payment-providers';
import { minorToDecimal, minorToPicos } from '../payments/minor-amount';
import { lockPayment } from '../payments/payments.repository';
import { FIRST_CHECK_SECONDS } from '../payments/provider-poll-schedule';
import { findRefund, insertRefund, listRefundsNewestFirst } from '../payments/refunds.repository';
import { RefundExecutor } from './refund-executor';
import {
  type AdminRefundsQuery,
  type AllRefundsResponse,
  type CreateRefundDto,
  listedRefundView,
  ownRefundView,
  type RefundListResponse,
  type RefundResponse,
  refundView,
} from './refunds.dto';

@Injectable()
export class RefundsService {
  constructor(
    private readonly database: Database,
    private readonly providers: PaymentProviders,
    private readonly reconciler: RefundExecutor,
  ) {}

  /**
   * Debits the wallet first, so that the money cannot be spent while the provider is called. The status `pending` means
   * that the provider has not finished or could not be reached; the reconciler then asks it again. Throws 404 for an
   * unknown payment, 400 for an amount above what was paid, 409 if the payment is not paid, was refunded before or is
   * not covered by the money of the wallet that no request of a gateway holds.
   */
  async create(
    admin: Actor,
    paymentId: string,
    input: CreateRefundDto,
    key: string | null,
  ): Promise<RefundResponse> {
    const request: IdempotentRequest = {
      accountId: admin.accountId,
      operation: 'refund',
      key,
      content: { paymentId, ...input },
    };
    const start = async (transaction: Transaction) => {
      const id = newId('rfd');
      const earlier = await claimIdempotencyKey(transaction, request, id);
      if (earlier) return { id: earlier.resourceId ?? '', answer: earlier.answer as RefundResponse | null };
      await this.insertAndDebit(transaction, id, admin, paymentId, input);
      return { id, answer: null };
    };
    const started = await withLeaseRecall(this.database, () => this.database.transaction(start));
    if (started.answer) return started.answer;
    await this.reconciler.checkNow(started.id);
    const refund = await findRefund(this.database, started.id);
    if (!refund) throw new Error(`The refund ${started.id} does not exist.`);
    return storeFirstAnswer(this.database, request, refundView(refund, refund.payment.currency));
  }

  private async insertAndDebit(
    transaction: Transaction,
    refundId: string,
    admin: Actor,
    paymentId: string,
    input: CreateRefundDto,
  ): Promise<void> {
    const payment = await lockPayment(transaction, paymentId);
    if (!payment) throw new NotFoundException('no such payment');
    if (payment.status !== 'paid') throw new ConflictException(`the payment is ${payment.status}`);
    if (!this.providers.find(payment.provider))
      throw new ConflictException(`the provider ${payment.provider} is not enabled here`);
    const amountMinor = input.amount ?? payment.amountMinor;
    if (amountMinor > payment.amountMinor) throw new BadRequestException('amount: is more than was paid');
    const { reason = null } = input;
    const refund = { id: refundId, paymentId, amountMinor, reason, orderedBy: admin.accountId };
    if (!(await insertRefund(transaction, refund, FIRST_CHECK_SECONDS)))
      throw new ConflictException('the payment was refunded before');
    const { accountId, provider } = payment;
    const transfer = await postTransfer(transaction, {
      kind: 'adjustment',
      accountId,
      amountPicos: -minorToPicos(amountMinor),
      counterpart: `provider:${provider}`,
      reference: `refund:${refundId}`,
      description: `Refund of payment ${paymentId}`,
    });
    await recordAuditEvent(transaction, {
      type: 'admin.refund_ordered',
      accountId,
      actorId: admin.accountId,
      origin: admin.origin,
      details: {
        payment_id: paymentId,
        refund_id: refundId,
        transaction_id: transfer.id,
        amount: minorToDecimal(amountMinor),
      },
    });
  }
}

@Injectable()
export class RefundListsService {
  constructor(private readonly database: Database) {}

  /** A page of the refunds of the account's payments, newest first. Throws 400 for a bad cursor. */
  async list(accountId: string, query: PageQuery): Promise<RefundListResponse> {
    const { rows, nextCursor } = await readPage(`refunds ${accountId}`, query, (after, count) =>
      listRefundsNewestFirst(this.database, { accountId }, after, count),
    );
    return { refunds: rows.map(ownRefundView), next_cursor: nextCursor };
  }

  /** A page of the refunds of all accounts that match the query, newest first. Throws 400 for a bad cursor. */
  async listOfAll(query: AdminRefundsQuery): Promise<AllRefundsResponse> {
    const filter = { accountId: query.account_id, status: query.status };
    const { rows, nextCursor } = await readPage(
      `all refunds ${JSON.stringify(filter)}`,
      query,
      (after, count) => listRefundsNewestFirst(this.database, filter, after, count),
    );
    return { refunds: rows.map(listedRefundView), next_cursor: nextCursor };
  }
}
