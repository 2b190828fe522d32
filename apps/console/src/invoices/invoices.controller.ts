import { Readable } from 'node:stream';
import { Controller, Get, Param, Post, Res } from '@nestjs/common';
import { Accepts, type Caller, CurrentCaller } from '@inference/credentials';
import { IdempotencyKey, pageQuery, type PageQuery, ValidBody, ValidQuery } from '@inference/http';
import { type Response } from 'express';
import { sendDownload } from '../documents/download';
import { type InvoiceView, type NewInvoice, newInvoice } from './invoices.dto';
import { InvoicesService } from './invoices.service';

/** Also for what an issuer sends: nothing in the file may act. */
const FILE_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";

@Controller('api/billing/invoices')
export class InvoicesController {
  constructor(private readonly invoices: InvoicesService) {}

  /**
   * `{payment_id, title, type, tax_id?, email?}` → 201 with the invoice; 404 for a payment unknown to the account, and
   * on the international site; 409 for one that is not paid, was refunded or has an invoice, and when the idempotency
   * key was used for something else.
   */
  @Post()
  issue(
    @CurrentCaller() { accountId }: Caller,
    @ValidBody(newInvoice) body: NewInvoice,
    @IdempotencyKey() key: string | null,
  ): Promise<InvoiceView> {
    return this.invoices.issue(accountId, body, key);
  }

  /** The caller's invoices, newest first; `next_cursor` is null at the end. */
  @Get()
  list(
    @CurrentCaller() { accountId }: Caller,
    @ValidQuery(pageQuery) query: PageQuery,
  ): Promise<{ invoices: InvoiceView[]; next_cursor: string | null }> {
    return this.invoices.list(accountId, query);
  }

  /** Spec: Billing. The invoice of a paid payment: our PDF, or the tax authority's own file. */
  @Get(':paymentId/download')
  @Accepts('session', 'session_query')
  async download(
    @CurrentCaller() { accountId }: Caller,
    @Param('paymentId') paymentId: string,
    @Res() response: Response,
  ): Promise<void> {
    const { contentType, fileName, content } = await this.invoices.file(accountId, paymentId);
    await sendDownload(response, {
      contentType,
      fileName,
      contentSecurityPolicy: FILE_POLICY,
      content: Readable.from([content]),
    });
  }
}
