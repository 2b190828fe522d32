import { Inject, Injectable } from '@nestjs/common';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { InvoiceAttachments } from '../../notifications/mail/invoice-attachments';
import { readInvoiceFile } from './invoice-file';

/** Gives the mails about invoices their attachments. */
@Injectable()
export class InvoiceMail {
  constructor(@Inject(SQL_POOL) pool: SqlPool, attachments: InvoiceAttachments) {
    attachments.register((documentId) => readInvoiceFile(pool, documentId));
  }
}
