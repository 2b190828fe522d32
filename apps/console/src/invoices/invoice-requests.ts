import { createHash } from 'node:crypto';
import { type Sql } from '@inference/database';
import { type Issued } from '../documents/document';
import { queueMail } from '../mail/outbox';
import { invoiceFileName } from './invoice-file';
import { type TaxFile } from './invoice-issuer';

/** An invoice whose file one host asks for until its lease ends. */
export interface ClaimedRequest extends Issued {
  accountId: string;
  snapshot: unknown;
  /** This one included. */
  attempts: number;
}

const FIRST_DELAY_SECONDS = 15;
const LONGEST_DELAY_SECONDS = 3_600;

const REQUEST = 'INSERT INTO billing.invoice_requests (document_id) VALUES ($1)';
const CLAIM = `
  WITH due AS MATERIALIZED (
    SELECT document_id FROM billing.invoice_requests
    WHERE next_attempt_at <= now() AND (claimed_until IS NULL OR claimed_until <= now())
    ORDER BY next_attempt_at LIMIT $1 FOR UPDATE SKIP LOCKED)
  UPDATE billing.invoice_requests r
  SET attempts = r.attempts + 1, claimed_until = now() + make_interval(secs => $2)
  FROM due, billing.documents d WHERE r.document_id = due.document_id AND d.id = r.document_id
  RETURNING d.id, d.number, d.issued_at AS "issuedAt", d.account_id AS "accountId", d.snapshot, r.attempts`;
/** Only by the host whose claim it still is: nobody else has asked since. */
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

/** Has the tax authority's file of an invoice asked for, as soon as the caller's transaction is over. */
export async function requestFile(sql: Sql, documentId: string): Promise<void> {
  await sql.query(REQUEST, [documentId]);
}

/** Up to `count` that are due and that nobody else has, for `leaseSeconds`. */
export async function claimRequests(
  sql: Sql,
  count: number,
  leaseSeconds: number,
): Promise<ClaimedRequest[]> {
  return (await sql.query<ClaimedRequest>(CLAIM, [count, leaseSeconds])).rows;
}

/** Leaves it for a later attempt, the later the more there were. */
export async function postponeRequest(
  sql: Sql,
  { id, attempts }: ClaimedRequest,
  reason: string | null,
): Promise<void> {
  const delaySeconds = Math.min(FIRST_DELAY_SECONDS * 2 ** (attempts - 1), LONGEST_DELAY_SECONDS);
  await sql.query(POSTPONE, [id, attempts, delaySeconds, reason]);
}

export async function refuseRequest(
  sql: Sql,
  { id, attempts }: ClaimedRequest,
  reason: string,
): Promise<void> {
  await sql.query(REFUSE, [id, attempts, reason]);
}

/**
 * Keeps the file, the first one if there are two, and mails it; part of the caller's transaction.
 */
export async function storeTaxFile(sql: Sql, request: ClaimedRequest, file: TaxFile): Promise<void> {
  const { id: documentId, number, accountId } = request;
  const { contentType, extension, bytes } = file;
  const sha256 = createHash('sha256').update(bytes).digest();
  const name = invoiceFileName(number, extension);
  const stored = await sql.query(STORE, [documentId, contentType, name, bytes, sha256]);
  await sql.query(FINISH, [documentId]);
  if (stored.rowCount === 1)
    await queueMail(sql, { kind: 'invoice_issued', accountId, params: { documentId } });
}
