import { Readable } from 'node:stream';
import { Accepts, type Caller, CurrentCaller } from '@inference/guards';
import { Idempotency, IdempotencyHeaders, PageQuery, Public } from '@inference/http';
import { ApiErrors, ApiFile } from '@inference/openapi';
import { Body, Controller, Get, Header, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { TokenQuery } from '../../validation/token-query.dto';
import { DocumentLinksService } from '../documents/document-links.service';
import { DownloadLinkResponse, LinkQuery, sendDownload } from '../documents/download';
import { CreateInvoiceDto, InvoiceListResponse, InvoicePath, InvoiceResponse } from './invoices.dto';
import { InvoicesService } from './invoices.service';
import { TAX_FILE_TYPES } from './issuer/invoice-issuer';

/** Applies to the issuer's files too, so no content of the file may be executed. */
const FILE_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";

const NO_INVOICE =
  'The account has no such payment, the payment has no invoice, or the site is the international site.';

@Controller('api/billing/invoices')
@ApiTags('Receipts and invoices')
export class InvoicesController {
  constructor(
    private readonly invoices: InvoicesService,
    private readonly links: DocumentLinksService,
  ) {}

  @Post()
  @ApiOperation({
    operationId: 'createInvoice',
    summary: 'Issues and mails the invoice of a paid payment.',
    description: 'Only the China site has invoices. A payment has at most one.',
  })
  @ApiCreatedResponse({ description: 'The invoice.', type: InvoiceResponse })
  @ApiErrors({
    404: 'The account has no such payment, or the site is the international site.',
    409: 'The payment is not paid, was refunded or has an invoice.',
  })
  issue(
    @CurrentCaller() { accountId }: Caller,
    @Body() body: CreateInvoiceDto,
    @Idempotency() { 'Idempotency-Key': key }: IdempotencyHeaders,
  ): Promise<InvoiceResponse> {
    return this.invoices.issue(accountId, body, key ?? null);
  }

  @Get()
  @ApiOperation({
    operationId: 'listInvoices',
    summary: 'Lists the account’s invoices, newest first.',
    description: 'The list is empty on the international site.',
  })
  @ApiOkResponse({ description: 'A page of invoices.', type: InvoiceListResponse })
  list(@CurrentCaller() { accountId }: Caller, @Query() query: PageQuery): Promise<InvoiceListResponse> {
    return this.invoices.list(accountId, query);
  }

  @Get(':paymentId/download')
  @Accepts('session', 'session_query')
  @ApiOperation({
    operationId: 'downloadInvoice',
    summary: 'Returns the invoice of a payment as a file.',
    description:
      'Only the China site has invoices. The file is a PDF of the site, which shows refunds, or the file of the tax authority once its issuer has made it.',
  })
  @ApiFile({ description: 'The invoice.', mediaTypes: TAX_FILE_TYPES })
  @ApiErrors({ 404: NO_INVOICE })
  async download(
    @CurrentCaller() { accountId }: Caller,
    @Param() { paymentId }: InvoicePath,
    @Query() _query: TokenQuery,
    @Res() response: Response,
  ): Promise<void> {
    await this.send(accountId, paymentId, response);
  }

  @Post(':paymentId/link')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'createInvoiceLink',
    summary: 'Returns a link to the invoice that a browser can open without a credential, for five minutes.',
  })
  @ApiOkResponse({ description: 'The link.', type: DownloadLinkResponse })
  @ApiErrors({ 404: NO_INVOICE })
  async createLink(
    @CurrentCaller() { accountId }: Caller,
    @Param() { paymentId }: InvoicePath,
  ): Promise<DownloadLinkResponse> {
    await this.invoices.findFile(accountId, paymentId);
    return this.links.create('invoices', accountId, paymentId);
  }

  @Get(':paymentId/file')
  @Public()
  @ApiOperation({ operationId: 'openInvoiceLink', summary: 'Returns the invoice of a link.' })
  @ApiFile({ description: 'The invoice.', mediaTypes: TAX_FILE_TYPES })
  @ApiErrors({ 403: 'The link is not valid or has expired.', 404: NO_INVOICE })
  async openLink(
    @Param() { paymentId }: InvoicePath,
    @Query() { link }: LinkQuery,
    @Res() response: Response,
  ): Promise<void> {
    await this.send(await this.links.accountOf('invoices', paymentId, link), paymentId, response);
  }

  private async send(accountId: string, paymentId: string, response: Response): Promise<void> {
    const { contentType, fileName, content } = await this.invoices.findFile(accountId, paymentId);
    await sendDownload(response, {
      contentType,
      fileName,
      contentSecurityPolicy: FILE_POLICY,
      content: Readable.from([content]),
    });
  }
}
