import { type Executor, JOB_SCHEMAS } from '@inference/database';
import { type DocumentVersion } from '../../tables/document-version.entity';
import { batchJobKey, embeddingJobKey, WAITS_FOR_BATCH } from '../../jobs/document-jobs.repository';
import { CLAIM_TIMEOUT_SECONDS } from './version-claims.repository';

/** A document waits this long without a job if the process that added it ended. Chosen: others are queued within milliseconds. */
const QUEUEING_TIMEOUT_SECONDS = 10;
const FIND_ABANDONED = `
  SELECT v.document_id AS "documentId", v.version, v.workspace_id AS "workspaceId", v.media_type AS "mediaType", v.bytes,
    v.attempts
  FROM memo.document_versions v
  WHERE v.status IN ('queued', 'processing') AND v.heartbeat_at < clock_timestamp() - make_interval(
      secs => CASE v.status WHEN 'queued' THEN ${QUEUEING_TIMEOUT_SECONDS} ELSE ${CLAIM_TIMEOUT_SECONDS} END)
    AND NOT EXISTS (
      SELECT FROM ${JOB_SCHEMAS.memo}.jobs j
      WHERE j.key IN (v.document_id || ':' || v.version, CASE WHEN ${WAITS_FOR_BATCH} THEN ${batchJobKey('v.workspace_id')} END)
        AND (j.locked_at IS NULL OR j.locked_at > clock_timestamp() - make_interval(secs => ${CLAIM_TIMEOUT_SECONDS})))
  ORDER BY v.heartbeat_at LIMIT $1`;
/** An embedding job that takes longer belongs to a process that was killed. */
const MAX_EMBEDDING_JOB_MINUTES = 10;
/** The conditions match an index. A job that failed for good is still in the queue, so it is not queued again. */
const FIND_UNEMBEDDED = `
  SELECT v.document_id AS "documentId", v.version FROM memo.document_versions v
  WHERE v.status = 'ready' AND (v.embedding_model IS NULL OR v.embedding_model < $1 OR v.embedding_model > $1
      OR v.embedding_model = $1 AND (v.embedded < v.chunk_count) = true)
    AND NOT EXISTS (
      SELECT FROM ${JOB_SCHEMAS.memo}.jobs j
      WHERE j.key = ${embeddingJobKey('v.document_id', 'v.version', '$1::text')}
        AND (j.locked_at IS NULL OR j.locked_at > clock_timestamp() - make_interval(mins => ${MAX_EMBEDDING_JOB_MINUTES})))
  LIMIT 500`;
const DELETE_UNUSED_PARTS = `
  DELETE FROM memo.source_parts p WHERE p.upload_id BETWEEN $2 AND $1
    AND NOT EXISTS (SELECT FROM memo.document_versions v WHERE v.upload_id = p.upload_id)`;

type AbandonedVersion = Pick<
  DocumentVersion,
  'documentId' | 'version' | 'workspaceId' | 'mediaType' | 'bytes' | 'attempts'
>;
type UnembeddedVersion = Pick<DocumentVersion, 'documentId' | 'version'>;

/** Versions whose worker ended, before or after it claimed them, and versions whose job is lost. */
export async function findAbandonedVersions(executor: Executor, limit: number): Promise<AbandonedVersion[]> {
  return (await executor.query<AbandonedVersion>(FIND_ABANDONED, [limit])).rows;
}

/** Published versions without all vectors of the model: they are older than the model, or their job was lost. */
export async function findUnembeddedVersions(
  executor: Executor,
  model: string,
): Promise<UnembeddedVersion[]> {
  return (await executor.query<UnembeddedVersion>(FIND_UNEMBEDDED, [model])).rows;
}

/**
 * Deletes parts that belong to no version: the sender disconnected, or the receiving process was killed.
 * @param beforeUploadId later uploads may be in progress
 * @param afterUploadId earlier ones were looked through; most parts are kept with their version for good
 */
export async function deleteUnusedParts(
  executor: Executor,
  beforeUploadId: string,
  afterUploadId: string,
): Promise<void> {
  await executor.query(DELETE_UNUSED_PARTS, [beforeUploadId, afterUploadId]);
}
