import { type Executor, type Transaction } from '@inference/database';
import { DocumentVersion } from '../../tables/document-version.entity';
import { isFileKept, type MediaType } from '../../tables/media-type';
import { type IngestionJob } from '../../jobs/document-jobs';

/** A claim without a heartbeat for this long is void. Specified by ADR 15: a worker reports twice a second. */
export const CLAIM_TIMEOUT_SECONDS = 30;

/** The columns of a ClaimedVersion. */
export const CLAIMED_COLUMNS = `v.document_id AS "documentId", v.version, v.workspace_id AS "workspaceId", v.title,
  v.media_type AS "mediaType", v.upload_id AS "uploadId", v.bytes, v.uploaded_by AS "uploadedBy", v.attempts, v.runner`;

const CLAIM = `
  UPDATE memo.document_versions v SET status = 'processing', runner = $3, attempts = attempts + 1,
    heartbeat_at = clock_timestamp(), processed = 0, total = NULL
  WHERE document_id = $1 AND version = $2 AND (status = 'queued'
    OR status = 'processing' AND heartbeat_at < clock_timestamp() - make_interval(secs => ${CLAIM_TIMEOUT_SECONDS}))
  RETURNING ${CLAIMED_COLUMNS}`;

const CLAIMED = "document_id = $1 AND version = $2 AND status = 'processing' AND runner = $3";
const LOCK = `SELECT FROM memo.document_versions WHERE ${CLAIMED} FOR UPDATE`;
const MARK_READY = `
  UPDATE memo.document_versions SET status = 'ready', runner = NULL, first_chunk = $4, chunk_count = $5, words = $6,
    upload_id = CASE WHEN $7 THEN upload_id END, omissions = $8, page_starts = $9 WHERE ${CLAIMED}`;

/** What is stored of a version that was read to its end. */
export interface ReadVersion {
  firstChunk: bigint;
  chunks: number;
  words: number;
  reading: Pick<DocumentVersion, 'omissions' | 'pageStarts'>;
}

/** A version that this process has claimed. */
export interface ClaimedVersion extends Pick<
  DocumentVersion,
  'documentId' | 'version' | 'workspaceId' | 'title' | 'bytes' | 'uploadedBy' | 'attempts'
> {
  mediaType: MediaType;
  uploadId: string;
  /** Identifies the claim. Statements change the version only while it holds. */
  runner: string;
}

/** Claims a version. Null if the version is gone, finished or claimed by another process. */
export async function claimVersion(
  executor: Executor,
  { document_id: documentId, version }: IngestionJob,
  runner: string,
): Promise<ClaimedVersion | null> {
  return (await executor.query<ClaimedVersion>(CLAIM, [documentId, version, runner])).rows[0] ?? null;
}

/** Records the progress. Returns false if the claim is lost. */
export async function recordHeartbeat(
  executor: Executor,
  claimed: ClaimedVersion,
  processed: number,
  total: number | null,
): Promise<boolean> {
  const { affected } = await executor.repository(DocumentVersion).update(whileClaimed(claimed), {
    heartbeatAt: () => 'clock_timestamp()',
    processed: BigInt(processed),
    total: total === null ? null : BigInt(total),
  });
  return affected === 1;
}

/** Undoes the claim; this attempt does not count. Returns false if the claim is lost. */
export async function unclaimVersion(transaction: Transaction, claimed: ClaimedVersion): Promise<boolean> {
  const { affected } = await transaction.repository(DocumentVersion).update(whileClaimed(claimed), {
    status: 'queued',
    runner: null,
    attempts: () => 'attempts - 1',
    processed: 0n,
    total: null,
  });
  return affected === 1;
}

/** Marks the version as failed. Its file is kept for another attempt. Returns false if the claim is lost. */
export async function markVersionFailed(
  transaction: Transaction,
  claimed: ClaimedVersion,
  errorCode: string,
  errorMessage: string,
): Promise<boolean> {
  const { affected } = await transaction.repository(DocumentVersion).update(whileClaimed(claimed), {
    status: 'failed',
    runner: null,
    errorCode,
    errorMessage,
  });
  return affected === 1;
}

/** Returns false if the claim is lost. */
export async function lockClaim(transaction: Transaction, claimed: ClaimedVersion): Promise<boolean> {
  return (await transaction.query(LOCK, ownership(claimed))).rowCount === 1;
}

/**
 * Marks the version as published. The caller holds the lock of the claim.
 * @param firstChunk number of the version's first chunk in the workspace
 */
export async function markVersionReady(
  transaction: Transaction,
  claimed: ClaimedVersion,
  { firstChunk, chunks, words, reading }: ReadVersion,
): Promise<void> {
  await transaction.query(MARK_READY, [
    ...ownership(claimed),
    ...[firstChunk, chunks, words, isFileKept(claimed.mediaType)],
    ...[JSON.stringify(reading.omissions), reading.pageStarts],
  ]);
}

/** Whether the version still exists, claimed or not. */
export function hasVersion(executor: Executor, { documentId, version }: ClaimedVersion): Promise<boolean> {
  return executor.repository(DocumentVersion).existsBy({ documentId, version });
}

const ownership = ({ documentId, version, runner }: ClaimedVersion) => [documentId, version, runner];

const whileClaimed = ({ documentId, version, runner }: ClaimedVersion) =>
  ({ documentId, version, status: 'processing', runner }) as const;
