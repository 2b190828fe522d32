import { Controller, Get, Inject, NotFoundException, Param, Post } from '@nestjs/common';
import { type Caller, CurrentCaller } from '@inference/guards';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { IdempotencyKey, pageQuery, type PageQuery, readPage, ValidBody, ValidQuery } from '@inference/http';
import { listRefunds } from './refund';
import { findOwnPayment, listPayments } from './payment';
import { type CreatePaymentDto, createPaymentDto, type PaymentView, paymentView } from './payments.dto';
import { PaymentsService } from './payments.service';

@Controller('api/billing/payments')
export class PaymentsController {
  constructor(
    private readonly payments: PaymentsService,
    @Inject(SQL_POOL) private readonly pool: SqlPool,
  ) {}

  /**
   * `{provider, amount, currency?, return_url?}` → 201 with the payment and its `checkout`. 409 for a provider that is not enabled
   * on this site, or an idempotency key that was used for another request; 503 while the provider cannot be reached.
   */
  @Post()
  create(
    @CurrentCaller() { accountId }: Caller,
    @ValidBody(createPaymentDto) body: CreatePaymentDto,
    @IdempotencyKey() key: string | null,
  ): Promise<PaymentView> {
    return this.payments.create(accountId, body, key);
  }

  /** The caller's payments, newest first; `next_cursor` is null on the last page. */
  @Get()
  async list(
    @CurrentCaller() { accountId }: Caller,
    @ValidQuery(pageQuery) query: PageQuery,
  ): Promise<{ payments: PaymentView[]; next_cursor: string | null }> {
    const { rows, nextCursor } = await readPage(`payments ${accountId}`, query, (after, count) =>
      listPayments(this.pool, accountId, after, count),
    );
    const refunds = await listRefunds(
      this.pool,
      rows.map(({ id }) => id),
    );
    const refundsOf = (id: string) => refunds.filter(({ paymentId }) => paymentId === id);
    return { payments: rows.map((row) => paymentView(row, refundsOf(row.id))), next_cursor: nextCursor };
  }

  /** Spec: Billing. */
  @Get(':id')
  async read(@CurrentCaller() { accountId }: Caller, @Param('id') id: string): Promise<PaymentView> {
    const payment = await findOwnPayment(this.pool, accountId, id);
    if (!payment) throw new NotFoundException('no such payment');
    return paymentView(payment, await listRefunds(this.pool, [id]));
  }
}
