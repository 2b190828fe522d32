import { Readable } from 'node:stream';
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Accepts, type Caller, CurrentCaller } from '@inference/guards';
import { ApiErrors, ApiFile } from '@inference/openapi';
import { type Response } from 'express';
import { TokenQuery } from '../../validation/token-query.dto';
import { sendDownload } from '../documents/download';
import { RECEIPT_POLICY } from './receipt-html';
import { ReceiptPath } from './receipts.dto';
import { ReceiptsService } from './receipts.service';

@Controller('api/billing/receipts')
@ApiTags('Receipts and invoices')
export class ReceiptsController {
  constructor(private readonly receipts: ReceiptsService) {}

  @Get(':paymentId/download')
  @Accepts('session', 'session_query')
  @ApiOperation({
    operationId: 'downloadReceipt',
    summary: 'Returns the receipt of a paid card payment, with its refunds.',
    description: 'Only the international site has receipts.',
  })
  @ApiFile({ description: 'The receipt as a page that loads nothing.', mediaTypes: ['text/html'] })
  @ApiErrors({
    404: 'The account has no such payment, the payment has no receipt, or the site is the China site.',
  })
  async download(
    @CurrentCaller() { accountId }: Caller,
    @Param() { paymentId }: ReceiptPath,
    @Query() _query: TokenQuery,
    @Res() response: Response,
  ): Promise<void> {
    const { number, html } = await this.receipts.render(accountId, paymentId);
    await sendDownload(response, {
      contentType: 'text/html; charset=utf-8',
      fileName: `receipt-${number}.html`,
      contentSecurityPolicy: RECEIPT_POLICY,
      content: Readable.from([html]),
    });
  }
}
