import { type Database, type Sql } from '@inference/database';
import { type MediaType } from '../../documents/source-files/media-type';
import { discardVersion, retireVersion } from '../../retrieval/index/retirement';
import { addEmbeddingJob, addIngestionJob, addMergeJob, type IngestionJob } from '../../jobs/document-jobs';

/** A version that this process has claimed. */
export interface ClaimedVersion {
  documentId: string;
  version: number;
  workspaceId: string;
  title: string;
  mediaType: MediaType;
  uploadId: string;
  bytes: number;
  uploadedBy: string;
  attempts: number;
  /** Identifies the claim. Statements change the version only while it holds. */
  runner: string;
}

/** The stored contents of a version that was read to its end. */
export interface IndexedVersion {
  chunks: number;
  words: number;
  /** Each with the index of its first chunk in the version. */
  segments: { id: bigint; firstChunk: number }[];
}

/** A claim without a heartbeat for this long is void. Specified by ADR 15: a worker reports twice a second. */
export const CLAIM_TIMEOUT_SECONDS = 30;

const CLAIM = `
  UPDATE memo.document_versions SET status = 'processing', runner = $3, attempts = attempts + 1,
    heartbeat_at = clock_timestamp(), processed = 0, total = NULL
  WHERE document_id = $1 AND version = $2 AND (status = 'queued'
    OR status = 'processing' AND heartbeat_at < clock_timestamp() - make_interval(secs => ${CLAIM_TIMEOUT_SECONDS}))
  RETURNING document_id AS "documentId", version, workspace_id AS "workspaceId", title, media_type AS "mediaType",
    upload_id AS "uploadId", bytes::float8 AS bytes, uploaded_by AS "uploadedBy", attempts, runner`;
const CLAIMED = `document_id = $1 AND version = $2 AND status = 'processing' AND runner = $3`;
const RECORD_HEARTBEAT = `UPDATE memo.document_versions SET heartbeat_at = clock_timestamp(), processed = $4, total = $5 WHERE ${CLAIMED}`;
const RELEASE = `
  UPDATE memo.document_versions SET status = 'queued', runner = NULL, attempts = attempts - 1, processed = 0, total = NULL
  WHERE ${CLAIMED}`;
const FAIL = `
  UPDATE memo.document_versions SET status = 'failed', runner = NULL, upload_id = NULL, error_code = $4, error_message = $5
  WHERE ${CLAIMED}`;
const LOCK_WORKSPACE = 'SELECT FROM memo.workspaces WHERE id = $1 FOR NO KEY UPDATE';
const LOCK_DOCUMENT = 'SELECT serving_version FROM memo.documents WHERE id = $1 FOR UPDATE';
const LOCK_CLAIMED = `SELECT FROM memo.document_versions WHERE ${CLAIMED} FOR UPDATE`;
const RESERVE_CHUNK_NUMBERS =
  'UPDATE memo.workspaces SET next_chunk = next_chunk + $2 WHERE id = $1 RETURNING next_chunk - $2 AS first';
const PUBLISH_VERSION = `
  UPDATE memo.document_versions SET status = 'ready', runner = NULL, upload_id = NULL, first_chunk = $4, chunk_count = $5,
    words = $6 WHERE ${CLAIMED}`;
const PUBLISH_SEGMENTS = `
  UPDATE memo.segments s SET workspace_id = $1, first_chunk = $2::bigint + u.first_chunk
  FROM unnest($3::bigint[], $4::integer[]) AS u(id, first_chunk) WHERE s.id = u.id`;
const PUBLISH_DOCUMENT = `
  UPDATE memo.documents SET serving_version = $2, updated_at = clock_timestamp() WHERE id = $1`;
const DELETE_VERSION = 'DELETE FROM memo.document_versions WHERE document_id = $1 AND version = $2';
const DELETE_PARTS = 'DELETE FROM memo.source_parts WHERE upload_id = $1';

/** Claims a version. Null if the version is gone, finished or claimed by another process. */
export async function claimVersion(
  sql: Sql,
  { document_id: documentId, version }: IngestionJob,
  runner: string,
): Promise<ClaimedVersion | null> {
  const { rows } = await sql.query<ClaimedVersion>(CLAIM, [documentId, version, runner]);
  return rows[0] ?? null;
}

const ownership = ({ documentId, version, runner }: ClaimedVersion) => [documentId, version, runner];

/** Records the progress. Returns false if the claim is lost. */
export async function recordHeartbeat(
  sql: Sql,
  claimed: ClaimedVersion,
  processed: number,
  total: number | null,
): Promise<boolean> {
  return (await sql.query(RECORD_HEARTBEAT, [...ownership(claimed), processed, total])).rowCount === 1;
}

/** Returns the version to the queue. */
export async function releaseVersion(database: Database, claimed: ClaimedVersion): Promise<void> {
  await database.transaction(async (sql) => {
    const { rowCount } = await sql.query(RELEASE, ownership(claimed));
    if (rowCount === 1) await addIngestionJob(sql, claimed);
  });
}

/** Marks the version as failed. The previous version stays published. */
export async function failVersion(
  database: Database,
  claimed: ClaimedVersion,
  code: string,
  message: string,
): Promise<void> {
  await database.transaction(async (sql) => {
    const { rowCount } = await sql.query(FAIL, [...ownership(claimed), code, message]);
    if (rowCount === 0) return;
    await sql.query(DELETE_PARTS, [claimed.uploadId]);
    await discardVersion(sql, claimed.documentId, claimed.version);
  });
}

/**
 * Publishes the version in place of the previous one in one transaction. Returns false if the claim is lost. Locks
 * the workspace before the document, like the deletion of a workspace.
 * @param embeddingModel embeds the chunks later; undefined if there is none
 */
export async function publishVersion(
  database: Database,
  claimed: ClaimedVersion,
  { chunks, words, segments }: IndexedVersion,
  embeddingModel: string | undefined,
): Promise<boolean> {
  const { documentId, version, workspaceId, uploadId } = claimed;
  return database.transaction(async (sql) => {
    await sql.query(LOCK_WORKSPACE, [workspaceId]);
    const { rows } = await sql.query<{ serving_version: number | null }>(LOCK_DOCUMENT, [documentId]);
    if (!rows[0] || (await sql.query(LOCK_CLAIMED, ownership(claimed))).rowCount === 0) return false;
    const { serving_version: before } = rows[0];
    const numbered = await sql.query<{ first: bigint }>(RESERVE_CHUNK_NUMBERS, [workspaceId, chunks]);
    const { first } = numbered.rows[0]!;
    await sql.query(PUBLISH_VERSION, [...ownership(claimed), first, chunks, words]);
    const [ids, places] = [segments.map(({ id }) => id), segments.map(({ firstChunk }) => firstChunk)];
    await sql.query(PUBLISH_SEGMENTS, [workspaceId, first, ids, places]);
    await sql.query(PUBLISH_DOCUMENT, [documentId, version]);
    if (before !== null) {
      await retireVersion(sql, documentId, before);
      await sql.query(DELETE_VERSION, [documentId, before]);
    }
    await sql.query(DELETE_PARTS, [uploadId]);
    await addMergeJob(sql, workspaceId);
    if (embeddingModel !== undefined) await addEmbeddingJob(sql, claimed, embeddingModel);
    return true;
  });
}
