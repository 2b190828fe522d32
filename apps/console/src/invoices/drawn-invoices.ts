import { buffer } from 'node:stream/consumers';
import { type Issued } from '../documents/document';
import { type InvoiceSnapshot } from '../documents/snapshot';
import { invoicePdf } from './invoice-pdf';

const MAX_KEPT = 100;
/** By the document's id, the one that was asked for last at the end. */
const kept = new Map<string, Promise<Buffer>>();

/**
 * The PDF of an invoice, which is the same bytes whenever it is drawn. Drawing keeps the process busy for some
 * hundredths of a second, so that somebody who asks for one again and again must not have it drawn again.
 */
export function drawnInvoice(issued: Issued, snapshot: InvoiceSnapshot): Promise<Buffer> {
  const drawn = kept.get(issued.id) ?? buffer(invoicePdf(issued, snapshot));
  kept.delete(issued.id);
  kept.set(issued.id, drawn);
  drawn.catch(() => kept.delete(issued.id));
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  return drawn;
}
