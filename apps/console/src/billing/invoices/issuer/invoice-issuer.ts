import { type InvoiceSnapshot } from '../../documents/document-snapshot';
import { type IssuedDocument } from '../../documents/documents.repository';

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

/** The beginning of a text file without byte order mark and white space. */
const textStart = (bytes: Buffer) =>
  bytes
    .subarray(0, 1_024)
    .toString('latin1')
    .replace(/^(\xef\xbb\xbf)?\s*/, '');

interface TaxFileKind {
  extension: string;
  /** Whether the bytes look like this type. */
  matches(bytes: Buffer): boolean;
}

/** The files that an issuer may send, by media type. */
export const TAX_FILE_KINDS: Record<string, TaxFileKind> = {
  'application/pdf': {
    extension: 'pdf',
    matches: (bytes) => bytes.subarray(0, 5).toString('latin1') === '%PDF-',
  },
  // A ZIP archive.
  'application/ofd': {
    extension: 'ofd',
    matches: (bytes) => bytes.subarray(0, 4).toString('latin1') === 'PK\x03\x04',
  },
  'application/xml': { extension: 'xml', matches: (bytes) => /^<(\?xml|[A-Za-z_])/.test(textStart(bytes)) },
  'text/html': { extension: 'html', matches: (bytes) => /^<(!doctype html|html)\b/i.test(textStart(bytes)) },
};

export const TAX_FILE_TYPES = Object.keys(TAX_FILE_KINDS);
