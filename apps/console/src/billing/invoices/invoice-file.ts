import { type Executor } from '@inference/database';
import { invoiceSnapshot } from '../documents/document-snapshot';
import { listRefunds } from '../payments/refunds.repository';
import { findInvoice, findOwnInvoice, type InvoiceWithFile } from './invoices.repository';
import { cachedInvoicePdf } from './pdf/invoice-pdf-cache';

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
