import { Controller, Get, Inject, NotFoundException, Param, Post } from '@nestjs/common';
import { Roles } from '@inference/guards';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { IdempotencyKey, ValidBody } from '@inference/http';
import { findDocumentNumber } from '../documents/document';
import { type Actor, CurrentActor } from '../../identity/audit-log/actor';
import { findPayment } from '../payments/payment';
import { type PaymentView, paymentView } from '../payments/payments.dto';
import { listRefunds } from '../payments/refund';
import { type CreateRefundDto, createRefundDto, type RefundView, refundView } from '../refunds/refunds.dto';
import { RefundsService } from '../refunds/refunds.service';

type AdminPaymentView = Omit<PaymentView, 'refunds'> & {
  account_id: string;
  document_number: string | null;
  refunds: RefundView[];
};

@Controller('api/admin/billing/payments')
@Roles('admin')
export class AdminPaymentsController {
  constructor(
    private readonly refunds: RefundsService,
    @Inject(SQL_POOL) private readonly pool: SqlPool,
  ) {}

  /**
   * Any account's payment with all attempts to refund it, oldest first, and the number of its receipt or invoice (null
   * without one).
   */
  @Get(':id')
  async read(@Param('id') id: string): Promise<AdminPaymentView> {
    const payment = await findPayment(this.pool, id);
    if (!payment) throw new NotFoundException('no such payment');
    const refunds = await listRefunds(this.pool, [id]);
    return {
      ...paymentView(payment, refunds),
      account_id: payment.accountId,
      document_number: await findDocumentNumber(this.pool, id),
      refunds: refunds.map(refundView),
    };
  }

  /**
   * `{amount?, reason?}` → 201 with the refund. 409 if the payment is not paid or was refunded before, if the wallet no
   * longer covers it, or if the idempotency key was used for another request.
   */
  @Post(':id/refund')
  refund(
    @CurrentActor() admin: Actor,
    @Param('id') id: string,
    @ValidBody(createRefundDto) body: CreateRefundDto,
    @IdempotencyKey() key: string | null,
  ): Promise<RefundView> {
    return this.refunds.create(admin, id, body, key);
  }
}
