import { Readable } from 'node:stream';
import { Controller, Get, Param, Post, Res } from '@nestjs/common';
import { Accepts, type Caller, CurrentCaller } from '@inference/guards';
import { AnyQuery, IdempotencyKey, pageQuery, type PageQuery, ValidBody, ValidQuery } from '@inference/http';
import { type Response } from 'express';
import { sendDownload } from '../documents/download';
import { type InvoiceView, type CreateInvoiceDto, createInvoiceDto } from './invoices.dto';
import { InvoicesService } from './invoices.service';

/** Applies to the issuer's files too, so no content of the file may be executed. */
const FILE_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";

@Controller('api/billing/invoices')
export class InvoicesController {
  constructor(private readonly invoices: InvoicesService) {}

  /**
   * `{payment_id, title, type, tax_id?, email?}` → 201 with the invoice. 404 for a payment that is not the caller's, and
   * on the international site; 409 if the payment is not paid, was refunded or has an invoice, or if the idempotency key
   * was used for another request.
   */
  @Post()
  issue(
    @CurrentCaller() { accountId }: Caller,
    @ValidBody(createInvoiceDto) body: CreateInvoiceDto,
    @IdempotencyKey() key: string | null,
  ): Promise<InvoiceView> {
    return this.invoices.issue(accountId, body, key);
  }

  /** The caller's invoices, newest first; `next_cursor` is null on the last page. */
  @Get()
  list(
    @CurrentCaller() { accountId }: Caller,
    @ValidQuery(pageQuery) query: PageQuery,
  ): Promise<{ invoices: InvoiceView[]; next_cursor: string | null }> {
    return this.invoices.list(accountId, query);
  }

  /** Spec: Billing. The invoice of a paid payment: our own PDF, or the tax authority's file. */
  @Get(':paymentId/download')
  @Accepts('session', 'session_query')
  @AnyQuery()
  async download(
    @CurrentCaller() { accountId }: Caller,
    @Param('paymentId') paymentId: string,
    @Res() response: Response,
  ): Promise<void> {
    const { contentType, fileName, content } = await this.invoices.findFile(accountId, paymentId);
    await sendDownload(response, {
      contentType,
      fileName,
      contentSecurityPolicy: FILE_POLICY,
      content: Readable.from([content]),
    });
  }
}
