import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '@inference/guards';
import { Idempotency, IdempotencyHeaders, PageQuery } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { CreatePaymentDto, PaymentListResponse, PaymentPath, PaymentResponse } from './payments.dto';
import { PaymentsService } from './payments.service';

/** Staff in the place of a customer gets no link or code: they work for whoever has them. */
function withoutCheckout({ checkout: _checkout, ...payment }: PaymentResponse): PaymentResponse {
  return payment;
}

@Controller('api/billing/payments')
@ApiTags('Payments')
export class PaymentsController {
  constructor(private readonly payments: PaymentsService) {}

  @Post()
  @ApiOperation({
    operationId: 'createPayment',
    summary: 'Creates a payment that tops up the wallet.',
    description:
      'The answer says where the payer pays. Read the payment until its status is `paid`: the money is in the wallet then.',
  })
  @ApiCreatedResponse({ description: 'The payment with its checkout.', type: PaymentResponse })
  @ApiErrors({
    409: 'The provider is not enabled on this site.',
    429: 'Too many requests, or too many payments of the account are pending. Wait for the seconds in `Retry-After`.',
    503: 'The payment provider cannot be reached or refuses, or the database is not available. Repeat the request with the same idempotency key.',
  })
  create(
    @CurrentCaller() { accountId }: Caller,
    @Body() body: CreatePaymentDto,
    @Idempotency() { 'Idempotency-Key': key }: IdempotencyHeaders,
  ): Promise<PaymentResponse> {
    return this.payments.create(accountId, body, key ?? null);
  }

  @Get()
  @ApiOperation({
    operationId: 'listPayments',
    summary: 'Lists the account’s payments with their refunds, newest first.',
  })
  @ApiOkResponse({ description: 'A page of payments.', type: PaymentListResponse })
  async list(
    @CurrentCaller() { accountId, isView }: Caller,
    @Query() query: PageQuery,
  ): Promise<PaymentListResponse> {
    const page = await this.payments.list(accountId, query);
    return isView ? { ...page, payments: page.payments.map(withoutCheckout) } : page;
  }

  @Get(':id')
  @ApiOperation({ operationId: 'getPayment', summary: 'Returns a payment with its status and refunds.' })
  @ApiOkResponse({ description: 'The payment.', type: PaymentResponse })
  @ApiErrors({ 404: 'The account has no such payment.' })
  async read(
    @CurrentCaller() { accountId, isView }: Caller,
    @Param() { id }: PaymentPath,
  ): Promise<PaymentResponse> {
    const payment = await this.payments.read(accountId, id);
    return isView ? withoutCheckout(payment) : payment;
  }

  @Post(':id/seen')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'markPaymentSeen',
    summary: 'Closes the notice about a payment that arrived late, for all browsers of the account.',
  })
  @ApiNoContentResponse({ description: 'The notice is closed, or was closed before.' })
  @ApiErrors({ 404: 'The account has no such payment.', 409: 'The payment is not paid.' })
  markSeen(@CurrentCaller() { accountId }: Caller, @Param() { id }: PaymentPath): Promise<void> {
    return this.payments.markSeen(accountId, id);
  }
}
