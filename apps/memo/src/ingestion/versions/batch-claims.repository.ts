import { type Executor, type Transaction } from '@inference/database';
import { WAITS_FOR_BATCH } from '../../jobs/document-jobs.repository';
import { CLAIMED_COLUMNS, type ClaimedVersion, type ReadVersion } from './version-claims.repository';

/**
 * Limits of a batch. With twice as many documents a new one waits twice as long for the batch before it; half writes twice
 * the segments. The last document may exceed the bytes.
 */
const MAX_BATCH_DOCUMENTS = 512;
const MAX_BATCH_BYTES = 1_048_576;

/** Takes the oldest ones that no other transaction has locked. */
const CLAIM = {
  name: 'batch-claim',
  text: `
    WITH waiting AS (
      SELECT document_id, version, bytes, created_at FROM memo.document_versions v
      WHERE workspace_id = $1 AND ${WAITS_FOR_BATCH}
      ORDER BY created_at LIMIT ${MAX_BATCH_DOCUMENTS} FOR NO KEY UPDATE SKIP LOCKED),
    chosen AS (
      SELECT document_id, version, sum(bytes) OVER (ORDER BY created_at, document_id) - bytes AS "bytesBefore" FROM waiting)
    UPDATE memo.document_versions v SET status = 'processing', runner = $2, attempts = 1,
      heartbeat_at = clock_timestamp(), processed = 0, total = NULL
    FROM chosen c
    WHERE v.document_id = c.document_id AND v.version = c.version AND c."bytesBefore" < ${MAX_BATCH_BYTES}
    RETURNING ${CLAIMED_COLUMNS}`,
};
const HELD = `
  FROM memo.document_versions v JOIN unnest($1::text[], $2::integer[]) AS u(document_id, version)
    ON u.document_id = v.document_id AND u.version = v.version
  WHERE v.status = 'processing' AND v.runner = $3`;
const LOCK = `SELECT v.document_id AS "documentId" ${HELD} ORDER BY v.document_id FOR UPDATE OF v`;
const MARK_READY = `
  UPDATE memo.document_versions v SET status = 'ready', runner = NULL, upload_id = NULL, first_chunk = u.first_chunk,
    chunk_count = u.chunks, words = u.words, omissions = u.omissions
  FROM unnest($1::text[], $2::integer[], $3::bigint[], $4::integer[], $5::bigint[], $6::json[])
    AS u(document_id, version, first_chunk, chunks, words, omissions)
  WHERE v.document_id = u.document_id AND v.version = u.version`;
const RENEW = `
  UPDATE memo.document_versions v SET heartbeat_at = clock_timestamp()
  WHERE (v.document_id, v.version) IN (SELECT v.document_id, v.version ${HELD})`;
const UNCLAIM = `
  UPDATE memo.document_versions v SET status = 'queued', runner = NULL, attempts = $4
  WHERE (v.document_id, v.version) IN (SELECT v.document_id, v.version ${HELD})
  RETURNING v.document_id AS "documentId"`;

/** A version whose chunks have numbers in the workspace. */
export interface NumberedVersion extends ReadVersion {
  claimed: ClaimedVersion;
}

/** Claims short documents that wait in a workspace. Returns them in the order of their uploads. */
export async function claimBatch(
  executor: Executor,
  workspaceId: string,
  runner: string,
): Promise<ClaimedVersion[]> {
  const { rows } = await executor.query<ClaimedVersion>({ ...CLAIM, values: [workspaceId, runner] });
  return rows.sort((one, other) => (one.uploadId < other.uploadId ? -1 : 1));
}

/** Whether more documents may wait than the claimed ones. */
export const isFullBatch = (claimed: readonly ClaimedVersion[]): boolean =>
  claimed.length === MAX_BATCH_DOCUMENTS ||
  claimed.reduce((sum, { bytes }) => sum + Number(bytes), 0) >= MAX_BATCH_BYTES;

/** Locks versions of one runner. Returns the ids of the documents whose claims are not lost. */
export async function lockClaims(
  transaction: Transaction,
  claimed: readonly ClaimedVersion[],
): Promise<Set<string>> {
  const { rows } = await transaction.query<{ documentId: string }>(LOCK, ownership(claimed));
  return new Set(rows.map(({ documentId }) => documentId));
}

/** Restarts the time after which claims of one runner are void. */
export async function renewClaims(executor: Executor, claimed: readonly ClaimedVersion[]): Promise<void> {
  await executor.query(RENEW, ownership(claimed));
}

/** Marks versions as published. The caller holds the locks of the claims. */
export async function markVersionsReady(
  transaction: Transaction,
  versions: readonly NumberedVersion[],
): Promise<void> {
  await transaction.query(MARK_READY, [
    versions.map(({ claimed }) => claimed.documentId),
    versions.map(({ claimed }) => claimed.version),
    versions.map(({ firstChunk }) => firstChunk),
    versions.map(({ chunks }) => chunks),
    versions.map(({ words }) => words),
    // Formats with pages are not read in batches.
    versions.map(({ reading }) => JSON.stringify(reading.omissions)),
  ]);
}

/**
 * Undoes claims of one runner that are not lost, and returns them.
 * @param attempts 0 if the attempt does not count; 1 if the versions are to be read alone
 */
export async function unclaimVersions(
  transaction: Transaction,
  claimed: readonly ClaimedVersion[],
  attempts: 0 | 1,
): Promise<ClaimedVersion[]> {
  if (claimed.length === 0) return [];
  const { rows } = await transaction.query<{ documentId: string }>(UNCLAIM, [
    ...ownership(claimed),
    attempts,
  ]);
  const unclaimed = new Set(rows.map(({ documentId }) => documentId));
  return claimed.filter(({ documentId }) => unclaimed.has(documentId));
}

const ownership = (claimed: readonly ClaimedVersion[]) => [
  claimed.map(({ documentId }) => documentId),
  claimed.map(({ version }) => version),
  claimed[0]!.runner,
];
