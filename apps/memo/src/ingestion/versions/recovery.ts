import { type Database, firstIdAt, JOB_SCHEMAS } from '@inference/database';
import { CLAIM_TIMEOUT_SECONDS } from './version-claim';
import {
  addGarbageCollectionJob,
  addEmbeddingJob,
  addIngestionJob,
  embeddingJobKey,
} from '../../jobs/document-jobs';

/**
 * Parts of an upload that is not complete after this time are deleted. It is longer than any upload that makes
 * progress.
 */
const MAX_UPLOAD_DURATION_MS = 24 * 3_600_000;

/** Versions whose worker ended, before or after it claimed them, and versions whose job is lost. */
const FIND_ABANDONED = `
  SELECT v.document_id AS "documentId", v.version, v.bytes::float8 AS bytes FROM memo.document_versions v
  WHERE v.status IN ('queued', 'processing') AND v.heartbeat_at < clock_timestamp() - make_interval(secs => ${CLAIM_TIMEOUT_SECONDS})
    AND NOT EXISTS (
      SELECT FROM ${JOB_SCHEMAS.memo}.jobs j WHERE j.key = v.document_id || ':' || v.version
        AND (j.locked_at IS NULL OR j.locked_at > clock_timestamp() - make_interval(secs => ${CLAIM_TIMEOUT_SECONDS})))
  ORDER BY v.heartbeat_at LIMIT 100`;
/** Parts that belong to no version: the sender disconnected, or the receiving process was killed. */
const DELETE_UNUSED_PARTS = `
  DELETE FROM memo.source_parts p WHERE p.upload_id < $1
    AND NOT EXISTS (SELECT FROM memo.document_versions v WHERE v.upload_id = p.upload_id)`;
/** Segments of deleted versions that were never published. All other segments are discarded with their version. */
const DISCARD_SEGMENTS = `
  INSERT INTO memo.garbage (document_id, version)
  SELECT DISTINCT s.document_id, s.version FROM memo.segments s
  WHERE s.workspace_id IS NULL AND NOT EXISTS (
    SELECT FROM memo.document_versions v WHERE v.document_id = s.document_id AND v.version = s.version)`;

/** Jobs of killed processes that were replaced by other jobs. The queue never deletes them. */
const DELETE_ORPHANED_JOBS = `
  DELETE FROM ${JOB_SCHEMAS.memo}._private_jobs
  WHERE key IS NULL AND attempts = max_attempts AND coalesce(locked_at, run_at) < clock_timestamp() - interval '1 day'`;

/** An embedding job that takes longer belongs to a process that was killed. */
const MAX_EMBEDDING_JOB_MINUTES = 10;
/**
 * Published versions without all vectors of the model: they are older than the model, or their job was lost. A job
 * that failed for good is still in the queue, so it is not queued again. The conditions match an index.
 */
const FIND_UNEMBEDDED = `
  SELECT v.document_id AS "documentId", v.version FROM memo.document_versions v
  WHERE v.status = 'ready' AND (v.embedding_model IS NULL OR v.embedding_model < $1 OR v.embedding_model > $1
      OR v.embedding_model = $1 AND (v.embedded < v.chunk_count) = true)
    AND NOT EXISTS (
      SELECT FROM ${JOB_SCHEMAS.memo}.jobs j
      WHERE j.key = ${embeddingJobKey('v.document_id', 'v.version', '$1::text')}
        AND (j.locked_at IS NULL OR j.locked_at > clock_timestamp() - make_interval(mins => ${MAX_EMBEDDING_JOB_MINUTES})))
  LIMIT 500`;

const HAS_GARBAGE = 'SELECT FROM memo.garbage LIMIT 1';

/** Restores what killed processes left behind: queues lost jobs again and discards unused data. */
export async function recoverLostWork(database: Database, embeddingModel: string | undefined): Promise<void> {
  const { rows } = await database.query<{ documentId: string; version: number; bytes: number }>(
    FIND_ABANDONED,
  );
  for (const astray of rows) await addIngestionJob(database, astray);
  await database.query(DELETE_UNUSED_PARTS, [firstIdAt('up', Date.now() - MAX_UPLOAD_DURATION_MS)]);
  await database.query(DISCARD_SEGMENTS);
  await database.query(DELETE_ORPHANED_JOBS);
  if ((await database.query(HAS_GARBAGE)).rowCount) await addGarbageCollectionJob(database);
  if (embeddingModel !== undefined) await addEmbeddingJobs(database, embeddingModel);
}

async function addEmbeddingJobs(database: Database, model: string): Promise<void> {
  const { rows } = await database.query<{ documentId: string; version: number }>(FIND_UNEMBEDDED, [model]);
  for (const served of rows) await addEmbeddingJob(database, served, model);
}
