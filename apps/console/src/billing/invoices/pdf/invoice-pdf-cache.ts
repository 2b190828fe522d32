import { buffer } from 'node:stream/consumers';
import { type IssuedDocument } from '../../documents/documents.repository';
import { type InvoiceSnapshot } from '../../documents/document-snapshot';
import { type Refund } from '../../payments/entities/refund.entity';
import { invoicePdf } from './invoice-pdf';

/** About 5 MB of memory; half renders more PDFs again. */
const MAX_CACHED_PDFS = 100;
/** By the document and the state of its refunds, in the order of the last use. */
const pdfsByState = new Map<string, Promise<Buffer>>();

/**
 * The PDF of an invoice, from an LRU cache. Rendering blocks the process for some hundredths of a second, so repeated
 * downloads must not render again. The bytes are the same at every rendering of the same refunds.
 */
export function cachedInvoicePdf(
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
