import { buffer } from 'node:stream/consumers';
import { Database, type Executor } from '@inference/database';
import { Injectable } from '@nestjs/common';
import { InvoiceAttachments } from '../../notifications/mail/invoice-attachments';
import { invoiceSnapshot, type InvoiceSnapshot } from '../documents/document-snapshot';
import { type IssuedDocument } from '../documents/documents.repository';
import { type Refund } from '../payments/payment.entity';
import { listRefunds } from '../payments/refunds.repository';
import { invoicePdf } from './invoice-pdf';
import { findInvoice, findOwnInvoice, type InvoiceWithFile } from './invoices.repository';

/** About 5 MB of memory; half renders more PDFs again. */
const MAX_CACHED_PDFS = 100;
/** By the document and the state of its refunds, in the order of the last use. */
const pdfsByState = new Map<string, Promise<Buffer>>();

/**
 * The PDF of an invoice, from an LRU cache. Rendering blocks the process for some hundredths of a second, so repeated
 * downloads must not render again. The bytes are the same at every rendering of the same refunds.
 */
function cachedInvoicePdf(
  issued: IssuedDocument,
  snapshot: InvoiceSnapshot,
  refunds: Refund[],
): Promise<Buffer> {
  const key = [issued.id, ...refunds.map(({ id, status }) => `${id} ${status}`)].join(' ');
  const pdf = pdfsByState.get(key) ?? buffer(invoicePdf(issued, snapshot, refunds));
  pdfsByState.delete(key);
  pdfsByState.set(key, pdf);
  pdf.catch(() => pdfsByState.delete(key));
  const [oldest] = pdfsByState.keys();
  if (pdfsByState.size > MAX_CACHED_PDFS && oldest !== undefined) pdfsByState.delete(oldest);
  return pdf;
}

/** An invoice for a download or a mail: the tax authority's file once it has arrived, our own PDF, which shows refunds, until then. */
export interface InvoiceDownload {
  number: string;
  /** Address it is mailed to; null: the account's address. */
  to: string | null;
  fileName: string;
  contentType: string;
  content: Buffer;
}

export const invoiceFileName = (number: string, extension: string) => `invoice-${number}.${extension}`;

async function downloadOf(
  executor: Executor,
  invoice: InvoiceWithFile | null,
): Promise<InvoiceDownload | null> {
  if (!invoice) return null;
  const { number, file, paymentId } = invoice;
  const snapshot = invoiceSnapshot.parse(invoice.snapshot);
  const shared = { number, to: snapshot.mailTo };
  if (file) return { ...shared, contentType: file.contentType, fileName: file.fileName, content: file.bytes };
  return {
    ...shared,
    contentType: 'application/pdf',
    fileName: invoiceFileName(number, 'pdf'),
    content: await cachedInvoicePdf(invoice, snapshot, await listRefunds(executor, [paymentId])),
  };
}

/** Null for another account's payment, and for a payment without an invoice. */
export async function findOwnInvoiceFile(
  executor: Executor,
  accountId: string,
  paymentId: string,
): Promise<InvoiceDownload | null> {
  return downloadOf(executor, await findOwnInvoice(executor, accountId, paymentId));
}

/** Regardless of the account: for the mail that carries the invoice. Null for an unknown document. */
export async function readInvoiceFile(
  executor: Executor,
  documentId: string,
): Promise<InvoiceDownload | null> {
  return downloadOf(executor, await findInvoice(executor, documentId));
}

/** Gives the mails about invoices their attachments. */
@Injectable()
export class InvoiceMail {
  constructor(database: Database, attachments: InvoiceAttachments) {
    attachments.register((documentId) => readInvoiceFile(database, documentId));
  }
}
