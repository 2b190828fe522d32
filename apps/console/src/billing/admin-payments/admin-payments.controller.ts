import { StaffOnly } from '@inference/guards';
import { Idempotency, IdempotencyHeaders } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ListOrCsv } from '../../lists/csv-list';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import { PaymentPath } from '../payments/payments.dto';
import { CreateRefundDto, RefundResponse } from '../refunds/refunds.dto';
import { RefundsService } from '../refunds/refunds.service';
import { AdminPaymentResponse, AdminPaymentsQuery, AllPaymentsResponse } from './admin-payments.dto';
import { AdminPaymentsService } from './admin-payments.service';

const COLUMNS =
  'id account_id provider amount currency status created_at paid_at ended_at provider_reference refunded_amount'.split(
    ' ',
  );

@Controller('api/admin/billing/payments')
@ApiTags('Administration of payments')
@StaffOnly()
export class AdminPaymentsController {
  constructor(
    private readonly payments: AdminPaymentsService,
    private readonly refunds: RefundsService,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listAllPayments',
    summary: 'Lists the payments of all accounts with their refunds, newest first.',
  })
  @ListOrCsv({
    description: 'A page of payments.',
    type: AllPaymentsResponse,
    rows: 'payments',
    columns: COLUMNS,
  })
  list(@Query() query: AdminPaymentsQuery): Promise<AllPaymentsResponse> {
    return this.payments.list(query);
  }

  @Get(':id')
  @ApiOperation({
    operationId: 'getAnyPayment',
    summary: 'Returns a payment of any account with its refunds and the number of its receipt or invoice.',
  })
  @ApiOkResponse({ description: 'The payment.', type: AdminPaymentResponse })
  @ApiErrors({ 404: 'There is no such payment.' })
  read(@Param() { id }: PaymentPath): Promise<AdminPaymentResponse> {
    return this.payments.read(id);
  }

  @Post(':id/refund')
  @ApiOperation({
    operationId: 'refundPayment',
    summary: 'Refunds a payment, once, whole or in part.',
    description:
      'The amount is taken from the wallet first. If the provider cannot be reached, the refund is `pending` and goes on later; if the provider refuses it, it is `failed` and the payment can be refunded again.',
  })
  @ApiBody({ type: CreateRefundDto, required: false })
  @ApiCreatedResponse({ description: 'The refund.', type: RefundResponse })
  @ApiErrors({
    404: 'There is no such payment.',
    409: 'The payment is not paid or was refunded before, its provider is not enabled, or the wallet does not cover the amount.',
  })
  refund(
    @CurrentActor() admin: Actor,
    @Param() { id }: PaymentPath,
    @Body() body: CreateRefundDto,
    @Idempotency() { 'Idempotency-Key': key }: IdempotencyHeaders,
  ): Promise<RefundResponse> {
    return this.refunds.create(admin, id, body, key ?? null);
  }
}
