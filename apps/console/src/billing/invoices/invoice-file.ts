import { type Sql } from '@inference/database';
import { type IssuedDocument } from '../documents/document';
import { invoiceSnapshot } from '../documents/document-snapshot';
import { listRefunds } from '../payments/refund';
import { cachedInvoicePdf } from './pdf/invoice-pdf-cache';

interface Row extends IssuedDocument {
  paymentId: string;
  snapshot: unknown;
  contentType: string | null;
  fileName: string | null;
  bytes: Buffer | null;
}

/** The file of an invoice: the tax authority's file once it has arrived, our own PDF, which shows refunds, until then. */
export interface InvoiceFile {
  number: string;
  /** Address it is mailed to; null: the account's address. */
  to: string | null;
  fileName: string;
  contentType: string;
  content: Buffer;
}

const SELECT = `
  SELECT d.id, d.payment_id AS "paymentId", d.number, d.issued_at AS "issuedAt", d.snapshot,
    f.content_type AS "contentType", f.file_name AS "fileName", f.bytes
  FROM billing.documents d LEFT JOIN billing.invoice_files f ON f.document_id = d.id
  WHERE d.kind = 'invoice'`;
const FIND = `${SELECT} AND d.id = $1`;
const FIND_OWN = `${SELECT} AND d.payment_id = $1 AND d.account_id = $2`;

export const invoiceFileName = (number: string, extension: string) => `invoice-${number}.${extension}`;

async function fileOf(sql: Sql, row: Row | undefined): Promise<InvoiceFile | null> {
  if (!row) return null;
  const { number, contentType, fileName, bytes } = row;
  const snapshot = invoiceSnapshot.parse(row.snapshot);
  const shared = { number, to: snapshot.mailTo };
  if (contentType !== null && fileName !== null && bytes !== null)
    return { ...shared, contentType, fileName, content: bytes };
  return {
    ...shared,
    contentType: 'application/pdf',
    fileName: invoiceFileName(number, 'pdf'),
    content: await cachedInvoicePdf(row, snapshot, await listRefunds(sql, [row.paymentId])),
  };
}

/** Null for another account's payment, and for a payment without an invoice. */
export async function findOwnInvoiceFile(
  sql: Sql,
  accountId: string,
  paymentId: string,
): Promise<InvoiceFile | null> {
  return fileOf(sql, (await sql.query<Row>(FIND_OWN, [paymentId, accountId])).rows[0]);
}

/** Regardless of the account: for the mail that carries the invoice. Null for an unknown document. */
export async function readInvoiceFile(sql: Sql, documentId: string): Promise<InvoiceFile | null> {
  return fileOf(sql, (await sql.query<Row>(FIND, [documentId])).rows[0]);
}
