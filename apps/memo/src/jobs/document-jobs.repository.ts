import { type Executor, JOB_SCHEMAS } from '@inference/database';
import { COLLECT_GARBAGE, EMBED, INGEST, INGEST_LONG, MERGE } from './document-jobs';

/**
 * Documents above this size are separate jobs, which one worker leaves to the others, so that short documents do not
 * wait. Half delays more documents behind long ones; twice makes short documents wait.
 */
const LONG_DOCUMENT_BYTES = 1_048_576;

const ADD_INGESTION = `
  SELECT FROM ${JOB_SCHEMAS.memo}.add_job($3, payload := json_build_object('document_id', $1::text, 'version', $2::integer),
    job_key := $1 || ':' || $2)`;
/** Merges run before waiting documents, because each document adds a segment, and segments slow searches down. */
const ADD_MERGE = `
  SELECT FROM ${JOB_SCHEMAS.memo}.add_job('${MERGE}', payload := json_build_object('workspace_id', $1::text),
    job_key := 'merge:' || $1, job_key_mode := 'preserve_run_at', run_at := now() + interval '1 second', priority := -1)`;

/** The key contains the model: a failed job of a previous model must not keep the new one from being queued. */
export const embeddingJobKey = (document: string, version: string, model: string) =>
  `'embed:' || ${document} || ':' || ${version} || ':' || ${model}`;
const ADD_EMBEDDING = `
  SELECT FROM ${JOB_SCHEMAS.memo}.add_job('${EMBED}', payload := json_build_object('document_id', $1::text, 'version', $2::integer),
    job_key := ${embeddingJobKey('$1::text', '$2::integer', '$3::text')})`;

/** Replaces a job whose process was killed. */
const ADD_GARBAGE_COLLECTION = `SELECT FROM ${JOB_SCHEMAS.memo}.add_job('${COLLECT_GARBAGE}', job_key := '${COLLECT_GARBAGE}')`;

/** Jobs of killed processes that were replaced by other jobs. The queue never deletes them. */
const DELETE_ORPHANED = `
  DELETE FROM ${JOB_SCHEMAS.memo}._private_jobs
  WHERE key IS NULL AND attempts = max_attempts AND coalesce(locked_at, run_at) < clock_timestamp() - interval '1 day'`;

/** Queues a version of a document; it runs after the transaction commits. Replaces a lost job of the same version. */
export async function addIngestionJob(
  executor: Executor,
  { documentId, version, bytes }: { documentId: string; version: number; bytes: bigint | number },
): Promise<void> {
  await executor.query(ADD_INGESTION, [
    documentId,
    version,
    bytes > LONG_DOCUMENT_BYTES ? INGEST_LONG : INGEST,
  ]);
}

/** Queues a merge of the workspace's segments, one second later. One job covers all changes until then. */
export async function addMergeJob(executor: Executor, workspaceId: string): Promise<void> {
  await executor.query(ADD_MERGE, [workspaceId]);
}

/** Queues the embedding of a version that is published. Replaces a lost job of the same version. */
export async function addEmbeddingJob(
  executor: Executor,
  { documentId, version }: { documentId: string; version: number },
  model: string,
): Promise<void> {
  await executor.query(ADD_EMBEDDING, [documentId, version, model]);
}

/**
 * Queues the deletion of discarded data. Call it outside of other transactions, because all callers update the same
 * row.
 */
export async function addGarbageCollectionJob(executor: Executor): Promise<void> {
  await executor.query(ADD_GARBAGE_COLLECTION);
}

export async function deleteOrphanedJobs(executor: Executor): Promise<void> {
  await executor.query(DELETE_ORPHANED);
}
