import { Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { InvoiceAttachments } from '../../notifications/mail/invoice-attachments';
import { readInvoiceFile } from './invoice-file';

/** Gives the mails about invoices their attachments. */
@Injectable()
export class InvoiceMail {
  constructor(database: Database, attachments: InvoiceAttachments) {
    attachments.register((documentId) => readInvoiceFile(database, documentId));
  }
}
