import { Controller, Get, Inject, NotFoundException, Param, Post } from '@nestjs/common';
import { Roles } from '@inference/credentials';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { IdempotencyKey, ValidBody } from '@inference/http';
import { documentNumber } from '../documents/document';
import { type Actor, CurrentActor } from '../events/actor';
import { findPayment } from './payment';
import { type PaymentView, paymentView } from './payments.dto';
import { listRefunds, type NewRefund, newRefund, type RefundView, refundView } from './refund';
import { RefundsService } from './refunds.service';

@Controller('api/admin/billing/payments')
@Roles('admin')
export class AdminPaymentsController {
  constructor(
    private readonly refunds: RefundsService,
    @Inject(SQL_POOL) private readonly pool: SqlPool,
  ) {}

  /**
   * Anybody's payment, with every attempt at refunding it, oldest first, and the number of its receipt or invoice, null
   * without one.
   */
  @Get(':id')
  async read(
    @Param('id') id: string,
  ): Promise<PaymentView & { account_id: string; document_number: string | null; refunds: RefundView[] }> {
    const payment = await findPayment(this.pool, id);
    if (!payment) throw new NotFoundException('no such payment');
    const refunds = await listRefunds(this.pool, id);
    return {
      ...paymentView(payment),
      account_id: payment.accountId,
      document_number: await documentNumber(this.pool, id),
      refunds: refunds.map(refundView),
    };
  }

  /**
   * `{amount?, reason?}` → 201 with the refund; 409 when the payment is not paid or was refunded before, when the wallet
   * does not cover it any more, or when the idempotency key was used for something else.
   */
  @Post(':id/refund')
  refund(
    @CurrentActor() admin: Actor,
    @Param('id') id: string,
    @ValidBody(newRefund) body: NewRefund,
    @IdempotencyKey() key: string | null,
  ): Promise<RefundView> {
    return this.refunds.order(admin, id, body, key);
  }
}
