import { type Executor, type Position } from '@inference/database';
import { BillingDocument } from '../documents/document.entity';
import { InvoiceFile } from './invoice.entity';
import { type InvoiceStatus } from './invoices.dto';

/** An invoice with the tax authority's file, if it has arrived. */
export type InvoiceWithFile = BillingDocument & { file: InvoiceFile | null };

export type InvoiceState = Pick<BillingDocument, 'id' | 'number' | 'issuedAt'> & {
  status: InvoiceStatus;
  /** In hundredths of the currency. */
  refundedMinor: bigint;
};

type ListedInvoice = InvoiceState & Pick<BillingDocument, 'snapshot'> & { at: string };

const LIST = `
  SELECT d.id, d.number, d.issued_at AS "issuedAt", d.snapshot,
    to_char(d.issued_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at,
    CASE WHEN f.document_id IS NOT NULL THEN 'official' WHEN r.refused_at IS NOT NULL THEN 'refused'
      WHEN r.document_id IS NOT NULL THEN 'processing' ELSE 'issued' END AS status,
    (SELECT coalesce(sum(amount_minor), 0)::bigint FROM billing.refunds
     WHERE payment_id = d.payment_id AND status = 'succeeded') AS "refundedMinor"
  FROM billing.documents d
  LEFT JOIN billing.invoice_files f ON f.document_id = d.id
  LEFT JOIN billing.invoice_requests r ON r.document_id = d.id
  WHERE d.account_id = $1 AND d.kind = 'invoice'
    AND ($2::timestamptz IS NULL OR (d.issued_at, d.id) < ($2, $3))
  ORDER BY d.issued_at DESC, d.id DESC LIMIT $4`;

/** The account's invoices, newest first. */
export async function listInvoices(
  executor: Executor,
  accountId: string,
  after: Position | null,
  count: number,
): Promise<(ListedInvoice & { position: Position })[]> {
  const page = [accountId, after?.at ?? null, after?.id ?? null, count];
  const { rows } = await executor.query<ListedInvoice>(LIST, page);
  return rows.map((row) => ({ ...row, position: { at: row.at, id: row.id } }));
}

/** Null for another account's payment, and for a payment without an invoice. */
export function findOwnInvoice(
  executor: Executor,
  accountId: string,
  paymentId: string,
): Promise<InvoiceWithFile | null> {
  return findInvoiceBy(executor, { accountId, paymentId });
}

/** Regardless of the account: for the mail that carries the invoice. Null for an unknown invoice. */
export function findInvoice(executor: Executor, id: string): Promise<InvoiceWithFile | null> {
  return findInvoiceBy(executor, { id });
}

function findInvoiceBy(
  executor: Executor,
  conditions: { id: string } | { accountId: string; paymentId: string },
): Promise<InvoiceWithFile | null> {
  const found = executor
    .repository(BillingDocument)
    .createQueryBuilder('invoice')
    .leftJoinAndMapOne('invoice.file', InvoiceFile, 'file', 'file.documentId = invoice.id')
    .where({ ...conditions, kind: 'invoice' })
    .getOne();
  return found as Promise<InvoiceWithFile | null>;
}
