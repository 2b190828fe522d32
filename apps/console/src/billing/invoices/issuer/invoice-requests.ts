import { createHash } from 'node:crypto';
import { type Sql } from '@inference/database';
import { type IssuedDocument } from '../../documents/document';
import { queueMail } from '../../../notifications/mail/outbox';
import { invoiceFileName } from '../invoice-file';
import { type TaxFile } from './invoice-issuer';

/** The task of each request (migration 0017). */
export const FETCH_TAX_FILE = 'fetch-tax-file';

/** A request for a tax file that one replica has claimed. */
export interface ClaimedTaxFileRequest extends IssuedDocument {
  accountId: string;
  snapshot: unknown;
  /** Number of attempts, including the current one. */
  attempts: number;
}

/** Chosen: a short outage delays the file by seconds; a long one causes at most one request an hour. */
const FIRST_DELAY_SECONDS = 15;
const LONGEST_DELAY_SECONDS = 3_600;

const REQUEST = 'INSERT INTO billing.invoice_requests (document_id) VALUES ($1)';
const CLAIM = `
  UPDATE billing.invoice_requests r
  SET attempts = r.attempts + 1, claimed_until = now() + make_interval(secs => $2)
  FROM billing.documents d
  WHERE d.id = r.document_id AND r.document_id = $1 AND r.due_at <= now()
  RETURNING d.id, d.number, d.issued_at AS "issuedAt", d.account_id AS "accountId", d.snapshot, r.attempts`;
/** Only while the claim is held: the number of attempts changes with every claim. */
const POSTPONE = `
  UPDATE billing.invoice_requests
  SET next_attempt_at = now() + make_interval(secs => $3), claimed_until = NULL, last_error = $4
  WHERE document_id = $1 AND attempts = $2 AND next_attempt_at IS NOT NULL`;
const REFUSE = `
  UPDATE billing.invoice_requests
  SET next_attempt_at = NULL, claimed_until = NULL, refused_at = now(), last_error = $3
  WHERE document_id = $1 AND attempts = $2 AND next_attempt_at IS NOT NULL`;
const STORE = `
  INSERT INTO billing.invoice_files (document_id, content_type, file_name, bytes, sha256)
  VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`;
const FINISH = `
  UPDATE billing.invoice_requests
  SET next_attempt_at = NULL, claimed_until = NULL, refused_at = NULL, last_error = NULL WHERE document_id = $1`;

/** Queues the request for the tax file of an invoice, as part of the caller's transaction. */
export async function queueTaxFileRequest(sql: Sql, documentId: string): Promise<void> {
  await sql.query(REQUEST, [documentId]);
}

/** Claims the request for `claimSeconds`, unless it is not due or another replica has claimed it. */
export async function claimTaxFileRequest(
  sql: Sql,
  documentId: string,
  claimSeconds: number,
): Promise<ClaimedTaxFileRequest | undefined> {
  return (await sql.query<ClaimedTaxFileRequest>(CLAIM, [documentId, claimSeconds])).rows[0];
}

/** Schedules the next attempt with exponential backoff. */
export async function postponeTaxFileRequest(
  sql: Sql,
  { id, attempts }: ClaimedTaxFileRequest,
  reason: string | null,
): Promise<void> {
  const delaySeconds = Math.min(FIRST_DELAY_SECONDS * 2 ** (attempts - 1), LONGEST_DELAY_SECONDS);
  await sql.query(POSTPONE, [id, attempts, delaySeconds, reason]);
}

export async function markTaxFileRefused(
  sql: Sql,
  { id, attempts }: ClaimedTaxFileRequest,
  reason: string,
): Promise<void> {
  await sql.query(REFUSE, [id, attempts, reason]);
}

/** Stores the tax file and queues its mail, as part of the caller's transaction. The first file of an invoice stays. */
export async function storeTaxFile(sql: Sql, request: ClaimedTaxFileRequest, file: TaxFile): Promise<void> {
  const { id: documentId, number, accountId } = request;
  const { contentType, extension, bytes } = file;
  const sha256 = createHash('sha256').update(bytes).digest();
  const name = invoiceFileName(number, extension);
  const stored = await sql.query(STORE, [documentId, contentType, name, bytes, sha256]);
  await sql.query(FINISH, [documentId]);
  if (stored.rowCount === 1)
    await queueMail(sql, { kind: 'invoice_issued', accountId, params: { documentId } });
}
