import { createHash } from 'node:crypto';
import { type Executor, type Transaction } from '@inference/database';
import { IsNull, Not } from 'typeorm';
import { type BillingDocument } from '../../documents/document.entity';
import { InvoiceFile, InvoiceRequest } from '../invoice.entity';

/** A request for a tax file that one replica has claimed, with its invoice. */
export type ClaimedTaxFileRequest = Pick<
  BillingDocument,
  'id' | 'number' | 'issuedAt' | 'accountId' | 'snapshot'
> &
  Pick<InvoiceRequest, 'attempts'>;

/** Chosen: a short outage delays the file by seconds; a long one causes at most one request an hour. */
const FIRST_DELAY_SECONDS = 15;
const LONGEST_DELAY_SECONDS = 3_600;

const CLAIM = `
  UPDATE billing.invoice_requests r
  SET attempts = r.attempts + 1, claimed_until = now() + make_interval(secs => $2)
  FROM billing.documents d
  WHERE d.id = r.document_id AND r.document_id = $1 AND r.due_at <= now()
  RETURNING d.id, d.number, d.issued_at AS "issuedAt", d.account_id AS "accountId", d.snapshot, r.attempts`;

/** Only while the claim is held: the number of attempts changes with every claim. */
const held = ({ id, attempts }: ClaimedTaxFileRequest) => ({
  documentId: id,
  attempts,
  nextAttemptAt: Not(IsNull()),
});

/** Queues the request for the tax file of an invoice. */
export async function queueTaxFileRequest(transaction: Transaction, documentId: string): Promise<void> {
  await transaction.repository(InvoiceRequest).insert({ documentId });
}

/** Claims the request for `claimSeconds`, unless it is not due or another replica has claimed it. */
export async function claimTaxFileRequest(
  executor: Executor,
  documentId: string,
  claimSeconds: number,
): Promise<ClaimedTaxFileRequest | undefined> {
  return (await executor.query<ClaimedTaxFileRequest>(CLAIM, [documentId, claimSeconds])).rows[0];
}

/** Schedules the next attempt with exponential backoff. */
export async function postponeTaxFileRequest(
  executor: Executor,
  request: ClaimedTaxFileRequest,
  reason: string | null,
): Promise<void> {
  const delaySeconds = Math.min(FIRST_DELAY_SECONDS * 2 ** (request.attempts - 1), LONGEST_DELAY_SECONDS);
  await executor.repository(InvoiceRequest).update(held(request), {
    nextAttemptAt: () => `now() + make_interval(secs => ${delaySeconds})`,
    claimedUntil: null,
    lastError: reason,
  });
}

export async function markTaxFileRefused(
  executor: Executor,
  request: ClaimedTaxFileRequest,
  reason: string,
): Promise<void> {
  await executor.repository(InvoiceRequest).update(held(request), {
    nextAttemptAt: null,
    claimedUntil: null,
    refusedAt: () => 'now()',
    lastError: reason,
  });
}

/** The request needs no further attempt. */
export async function finishTaxFileRequest(transaction: Transaction, documentId: string): Promise<void> {
  await transaction
    .repository(InvoiceRequest)
    .update({ documentId }, { nextAttemptAt: null, claimedUntil: null, refusedAt: null, lastError: null });
}

/** Returns false if the invoice has a file, which stays. */
export async function insertTaxFile(
  transaction: Transaction,
  file: Pick<InvoiceFile, 'documentId' | 'contentType' | 'fileName' | 'bytes'>,
): Promise<boolean> {
  const sha256 = createHash('sha256').update(file.bytes).digest();
  const { raw } = await transaction
    .repository(InvoiceFile)
    .createQueryBuilder()
    .insert()
    .values({ ...file, sha256 })
    .orIgnore()
    .returning(['documentId'])
    .execute();
  return (raw as unknown[]).length === 1;
}
