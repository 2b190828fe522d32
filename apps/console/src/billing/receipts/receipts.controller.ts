import { Readable } from 'node:stream';
import { Controller, Get, Param, Res } from '@nestjs/common';
import { Accepts, type Caller, CurrentCaller } from '@inference/guards';
import { AnyQuery } from '@inference/http';
import { type Response } from 'express';
import { sendDownload } from '../documents/download';
import { RECEIPT_POLICY } from './receipt-html';
import { ReceiptsService } from './receipts.service';

@Controller('api/billing/receipts')
export class ReceiptsController {
  constructor(private readonly receipts: ReceiptsService) {}

  /** Spec: Billing. The receipt of a paid card payment, as HTML; 404 on the China site. */
  @Get(':paymentId/download')
  @Accepts('session', 'session_query')
  @AnyQuery()
  async download(
    @CurrentCaller() { accountId }: Caller,
    @Param('paymentId') paymentId: string,
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
