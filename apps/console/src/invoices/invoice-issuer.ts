import { type Issued } from '../documents/document';
import { type InvoiceSnapshot } from '../documents/snapshot';

/** An invoice for which the tax authority's own file is wanted. */
export interface InvoiceOfIssuer extends Issued {
  snapshot: InvoiceSnapshot;
}

export interface TaxFile {
  contentType: string;
  /** Of the file's name: `pdf`, `ofd`. */
  extension: string;
  bytes: Buffer;
}

/**
 * issued   with the file
 * later    not yet; `reason` for the log, null when that is nothing to worry about
 * refused  there will be none, and no use in asking again
 */
export type IssuerAnswer =
  | { status: 'issued'; file: TaxFile }
  | { status: 'later'; reason: string | null }
  | { status: 'refused'; reason: string };

/** Whoever turns our invoices into the tax authority's. */
export interface InvoiceIssuer {
  /** Asking again about the same invoice asks for the same file. Takes at most 30 s; what it throws counts as later. */
  ask(invoice: InvoiceOfIssuer): Promise<IssuerAnswer>;
}

/** The longest that an issuer may take. */
export const ISSUER_LIMIT_MILLIS = 30_000;
