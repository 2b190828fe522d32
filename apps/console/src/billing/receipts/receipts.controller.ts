import { Readable } from 'node:stream';
import { IdField } from '@inference/dto';
import { Accepts, type Caller, CurrentCaller } from '@inference/guards';
import { Public } from '@inference/http';
import { ApiErrors, ApiFile } from '@inference/openapi';
import { Controller, Get, Header, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { TokenQuery } from '../../validation/token-query.dto';
import { DocumentLinksService } from '../documents/document-links.service';
import { DownloadLinkResponse, LinkQuery, sendDownload } from '../documents/download';
import { RECEIPT_POLICY } from './receipt-html';
import { ReceiptsService } from './receipts.service';

class ReceiptPath {
  @IdField({ description: 'The id of the payment.', noun: 'receipt', prefix: 'pay' })
  paymentId!: string;
}

const NO_RECEIPT =
  'The account has no such payment, the payment has no receipt, or the site is the China site.';

@Controller('api/billing/receipts')
@ApiTags('Receipts and invoices')
export class ReceiptsController {
  constructor(
    private readonly receipts: ReceiptsService,
    private readonly links: DocumentLinksService,
  ) {}

  @Get(':paymentId/download')
  @Accepts('session', 'session_query')
  @ApiOperation({
    operationId: 'downloadReceipt',
    summary: 'Returns the receipt of a paid card payment, with its refunds.',
    description: 'Only the international site has receipts.',
  })
  @ApiFile({ description: 'The receipt as a page that loads nothing.', mediaTypes: ['text/html'] })
  @ApiErrors({ 404: NO_RECEIPT })
  async download(
    @CurrentCaller() { accountId }: Caller,
    @Param() { paymentId }: ReceiptPath,
    @Query() _query: TokenQuery,
    @Res() response: Response,
  ): Promise<void> {
    await this.send(accountId, paymentId, response);
  }

  @Post(':paymentId/link')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'createReceiptLink',
    summary: 'Returns a link to the receipt that a browser can open without a credential, for five minutes.',
  })
  @ApiOkResponse({ description: 'The link.', type: DownloadLinkResponse })
  @ApiErrors({ 404: NO_RECEIPT })
  async createLink(
    @CurrentCaller() { accountId }: Caller,
    @Param() { paymentId }: ReceiptPath,
  ): Promise<DownloadLinkResponse> {
    await this.receipts.render(accountId, paymentId);
    return this.links.create('receipts', accountId, paymentId);
  }

  @Get(':paymentId/file')
  @Public()
  @ApiOperation({ operationId: 'openReceiptLink', summary: 'Returns the receipt of a link.' })
  @ApiFile({ description: 'The receipt as a page that loads nothing.', mediaTypes: ['text/html'] })
  @ApiErrors({ 403: 'The link is not valid or has expired.', 404: NO_RECEIPT })
  async openLink(
    @Param() { paymentId }: ReceiptPath,
    @Query() { link }: LinkQuery,
    @Res() response: Response,
  ): Promise<void> {
    await this.send(await this.links.accountOf('receipts', paymentId, link), paymentId, response);
  }

  private async send(accountId: string, paymentId: string, response: Response): Promise<void> {
    const { number, html } = await this.receipts.render(accountId, paymentId);
    await sendDownload(response, {
      contentType: 'text/html; charset=utf-8',
      fileName: `receipt-${number}.html`,
      contentSecurityPolicy: RECEIPT_POLICY,
      content: Readable.from([html]),
    });
  }
}
