import { type IssuedDocument } from '../../documents/documents.repository';
import { type InvoiceSnapshot } from '../../documents/document-snapshot';

/** An invoice for which the tax authority's file is requested. */
export interface InvoiceToIssue extends IssuedDocument {
  snapshot: InvoiceSnapshot;
}

export interface TaxFile {
  contentType: string;
  /** Extension of the file's name: `pdf`, `ofd`. */
  extension: string;
  bytes: Buffer;
}

/**
 * issued   the file is here
 * later    not available yet; `reason` for the log, null if nothing is wrong
 * refused  there will be no file; do not ask again
 */
export type IssuerResult =
  | { status: 'issued'; file: TaxFile }
  | { status: 'later'; reason: string | null }
  | { status: 'refused'; reason: string };

/** Gateway to the service that issues the tax authority's files. */
export interface InvoiceIssuer {
  /** Idempotent by the invoice's number. Takes at most ISSUER_TIMEOUT_MILLIS; an error counts as `later`. */
  requestTaxFile(invoice: InvoiceToIssue): Promise<IssuerResult>;
}

/** Chosen: issuers render and sign a file while the request waits. */
export const ISSUER_TIMEOUT_MILLIS = 30_000;
