import { Injectable } from '@nestjs/common';

/** An invoice as a mail carries it. */
export interface MailedInvoice {
  number: string;
  /** Replaces the account's own address; null to keep it. */
  to: string | null;
  fileName: string;
  contentType: string;
  content: Buffer;
}

/** Returns the invoice with this document id, or null if it does not exist. */
export type InvoiceReader = (documentId: string) => Promise<MailedInvoice | null>;

/**
 * Where the invoices feature registers its reader when the service starts. Invoices queue mails, so mail must not
 * depend on invoices.
 */
@Injectable()
export class InvoiceAttachments {
  private reader: InvoiceReader | undefined;

  register(reader: InvoiceReader): void {
    this.reader = reader;
  }

  /** Returns null if the invoice does not exist. Throws if no reader is registered. */
  read(documentId: string): Promise<MailedInvoice | null> {
    if (!this.reader) throw new Error('No reader of invoices is registered.');
    return this.reader(documentId);
  }
}
