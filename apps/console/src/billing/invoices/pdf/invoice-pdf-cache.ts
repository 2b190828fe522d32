import { buffer } from 'node:stream/consumers';
import { type IssuedDocument } from '../../documents/document';
import { type InvoiceSnapshot } from '../../documents/document-snapshot';
import { invoicePdf } from './invoice-pdf';

/** About 5 MB of memory; half renders more PDFs again. */
const MAX_CACHED_PDFS = 100;
/** In the order of the last use. */
const pdfsByDocumentId = new Map<string, Promise<Buffer>>();

/**
 * The PDF of an invoice, from an LRU cache. Rendering blocks the process for some hundredths of a second, so repeated
 * downloads must not render again. The bytes are the same at every rendering.
 */
export function cachedInvoicePdf(issued: IssuedDocument, snapshot: InvoiceSnapshot): Promise<Buffer> {
  const pdf = pdfsByDocumentId.get(issued.id) ?? buffer(invoicePdf(issued, snapshot));
  pdfsByDocumentId.delete(issued.id);
  pdfsByDocumentId.set(issued.id, pdf);
  pdf.catch(() => pdfsByDocumentId.delete(issued.id));
  const [oldest] = pdfsByDocumentId.keys();
  if (pdfsByDocumentId.size > MAX_CACHED_PDFS && oldest !== undefined) pdfsByDocumentId.delete(oldest);
  return pdf;
}
