import { Readable } from 'node:stream';
import { Controller, Get, Inject, NotFoundException, Param, Res } from '@nestjs/common';
import { Accepts, type Caller, CurrentCaller } from '@inference/credentials';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { type Response } from 'express';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { sendDownload } from '../documents/download';
import { findOwnDocument } from '../documents/find-document';
import { receiptSnapshot } from '../documents/snapshot';
import { RECEIPT_POLICY, receiptHtml } from './receipt-html';

@Controller('api/billing/receipts')
export class ReceiptsController {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /** Spec: Billing. The receipt of a paid card payment, as HTML; 404 on the China site. */
  @Get(':paymentId/download')
  @Accepts('session', 'session_query')
  async download(
    @CurrentCaller() { accountId }: Caller,
    @Param('paymentId') paymentId: string,
    @Res() response: Response,
  ): Promise<void> {
    const { SITE } = this.config;
    const found =
      SITE === 'intl'
        ? await findOwnDocument(this.pool, 'receipt', { accountId, paymentId }, receiptSnapshot)
        : null;
    if (!found) throw new NotFoundException('no such receipt');
    await sendDownload(response, {
      contentType: 'text/html; charset=utf-8',
      fileName: `receipt-${found.number}.html`,
      contentSecurityPolicy: RECEIPT_POLICY,
      content: Readable.from([receiptHtml(found, found.snapshot, SITE)]),
    });
  }
}
