import { inTransaction, type Sql, type SqlPool } from '@inference/database';
import { type MediaType } from '../documents/media-type';
import { discardVersion, retireVersion } from '../index/retirement';
import { addEmbeddingJob, addIngestionJob, addMergeJob, type IngestionJob } from './ingestion-jobs';

/** A version that this process works on. */
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
  /** Writes only what is still its own. */
  runner: string;
}

/** What stands in the database of a version that was read to its end. */
export interface WrittenVersion {
  chunks: number;
  words: number;
  /** Each with the place of its first chunk in the version. */
  segments: { id: bigint; firstChunk: number }[];
}

/** Who has not been heard of for so long works on it no more. */
export const SILENCE_SECONDS = 30;

const CLAIM = `
  UPDATE memo.document_versions SET status = 'processing', runner = $3, attempts = attempts + 1,
    beat_at = clock_timestamp(), processed = 0, total = NULL
  WHERE document_id = $1 AND version = $2 AND (status = 'queued'
    OR status = 'processing' AND beat_at < clock_timestamp() - make_interval(secs => ${SILENCE_SECONDS}))
  RETURNING document_id AS "documentId", version, workspace_id AS "workspaceId", title, media_type AS "mediaType",
    upload_id AS "uploadId", bytes::float8 AS bytes, uploaded_by AS "uploadedBy", attempts, runner`;
const OWN = `document_id = $1 AND version = $2 AND status = 'processing' AND runner = $3`;
const BEAT = `UPDATE memo.document_versions SET beat_at = clock_timestamp(), processed = $4, total = $5 WHERE ${OWN}`;
const RELEASE = `
  UPDATE memo.document_versions SET status = 'queued', runner = NULL, attempts = attempts - 1, processed = 0, total = NULL
  WHERE ${OWN}`;
const FAIL = `
  UPDATE memo.document_versions SET status = 'failed', runner = NULL, upload_id = NULL, error_code = $4, error_message = $5
  WHERE ${OWN}`;
const LOCK_WORKSPACE = 'SELECT FROM memo.workspaces WHERE id = $1 FOR NO KEY UPDATE';
const LOCK_DOCUMENT = 'SELECT serving_version FROM memo.documents WHERE id = $1 FOR UPDATE';
const LOCK_OWN = `SELECT FROM memo.document_versions WHERE ${OWN} FOR UPDATE`;
const NUMBER =
  'UPDATE memo.workspaces SET next_chunk = next_chunk + $2 WHERE id = $1 RETURNING next_chunk - $2 AS first';
const SERVE = `
  UPDATE memo.document_versions SET status = 'ready', runner = NULL, upload_id = NULL, first_chunk = $4, chunk_count = $5,
    words = $6 WHERE ${OWN}`;
const SERVE_SEGMENTS = `
  UPDATE memo.segments s SET workspace_id = $1, first_chunk = $2::bigint + u.first_chunk
  FROM unnest($3::bigint[], $4::integer[]) AS u(id, first_chunk) WHERE s.id = u.id`;
const SERVE_DOCUMENT = `
  UPDATE memo.documents SET serving_version = $2, updated_at = clock_timestamp() WHERE id = $1`;
const DELETE_VERSION = 'DELETE FROM memo.document_versions WHERE document_id = $1 AND version = $2';
const DELETE_PARTS = 'DELETE FROM memo.source_parts WHERE upload_id = $1';

/** Null for a version that is gone, done, or in other hands. */
export async function claim(
  sql: Sql,
  { document_id: documentId, version }: IngestionJob,
  runner: string,
): Promise<ClaimedVersion | null> {
  const { rows } = await sql.query<ClaimedVersion>(CLAIM, [documentId, version, runner]);
  return rows[0] ?? null;
}

const ownership = ({ documentId, version, runner }: ClaimedVersion) => [documentId, version, runner];

/** Says how far it is; false when the version is this process's no more. */
export async function beat(
  sql: Sql,
  claimed: ClaimedVersion,
  processed: number,
  total: number | null,
): Promise<boolean> {
  return (await sql.query(BEAT, [...ownership(claimed), processed, total])).rowCount === 1;
}

/** Puts it back for somebody else. */
export async function release(pool: SqlPool, claimed: ClaimedVersion): Promise<void> {
  await inTransaction(pool, async (sql) => {
    const { rowCount } = await sql.query(RELEASE, ownership(claimed));
    if (rowCount === 1) await addIngestionJob(sql, claimed);
  });
}

/** What is served of the document until then goes on being served. */
export async function fail(
  pool: SqlPool,
  claimed: ClaimedVersion,
  code: string,
  message: string,
): Promise<void> {
  await inTransaction(pool, async (sql) => {
    const { rowCount } = await sql.query(FAIL, [...ownership(claimed), code, message]);
    if (rowCount === 0) return;
    await sql.query(DELETE_PARTS, [claimed.uploadId]);
    await discardVersion(sql, claimed.documentId, claimed.version);
  });
}

/**
 * Serves the version in place of the one before it, from one moment to the next; false when it is not this process's any
 * more. Locks as a deletion of the workspace does: first the workspace, then the document.
 * @param embeddingModel says later what its chunks mean
 */
export async function serve(
  pool: SqlPool,
  claimed: ClaimedVersion,
  { chunks, words, segments }: WrittenVersion,
  embeddingModel: string | undefined,
): Promise<boolean> {
  const { documentId, version, workspaceId, uploadId } = claimed;
  return inTransaction(pool, async (sql) => {
    await sql.query(LOCK_WORKSPACE, [workspaceId]);
    const { rows } = await sql.query<{ serving_version: number | null }>(LOCK_DOCUMENT, [documentId]);
    if (!rows[0] || (await sql.query(LOCK_OWN, ownership(claimed))).rowCount === 0) return false;
    const { serving_version: before } = rows[0];
    const numbered = await sql.query<{ first: bigint }>(NUMBER, [workspaceId, chunks]);
    const { first } = numbered.rows[0]!;
    await sql.query(SERVE, [...ownership(claimed), first, chunks, words]);
    const [ids, places] = [segments.map(({ id }) => id), segments.map(({ firstChunk }) => firstChunk)];
    await sql.query(SERVE_SEGMENTS, [workspaceId, first, ids, places]);
    await sql.query(SERVE_DOCUMENT, [documentId, version]);
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
