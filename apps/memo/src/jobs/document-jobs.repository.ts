import { type Executor, JOB_SCHEMAS } from '@inference/database';
import { type DocumentVersion } from '../tables/document-version.entity';
import { type MediaType } from '../tables/media-type';
import { COLLECT_GARBAGE, EMBED, INGEST, INGEST_BATCH, INGEST_LONG, MERGE } from './document-jobs';

/**
 * Documents above this size are separate jobs, which one worker leaves to the others, so that short documents do not
 * wait. Half delays more documents behind long ones; twice makes short documents wait.
 */
const LONG_DOCUMENT_BYTES = 1_048_576;

/**
 * Larger documents are jobs of their own. Half leaves documents of some pages alone; twice delays others of a batch more
 * than a job of their own costs.
 */
const MAX_BATCHED_BYTES = 65_536;
/** Other formats may contain a thousand times their size. */
const BATCHED_TYPES: readonly MediaType[] = ['text/plain', 'text/markdown', 'text/html'];

/**
 * Whether a version `v` waits for a batch of its workspace. One that has ended a process or a batch is read alone, so that
 * it cannot do that to others again.
 */
export const WAITS_FOR_BATCH = `v.status = 'queued' AND v.attempts = 0 AND v.bytes <= ${MAX_BATCHED_BYTES}
  AND v.media_type IN (${BATCHED_TYPES.map((type) => `'${type}'`).join(', ')})`;
export const batchJobKey = (workspace: string) => `'ingest:' || ${workspace}`;

/**
 * One job covers all documents that wait in the workspace. One that a process has begun is not changed: another job is
 * added, which may run at the same time. One that waits is not written again: workers skip a job while its row is locked.
 */
const ADD_BATCH = `
  SELECT CASE
    WHEN EXISTS (
      SELECT FROM ${JOB_SCHEMAS.memo}.jobs
      WHERE key = ${batchJobKey('$1::text')} AND locked_at IS NULL AND attempts = 0) THEN true
    ELSE (
      SELECT id IS NOT NULL
      FROM ${JOB_SCHEMAS.memo}.add_job('${INGEST_BATCH}', payload := json_build_object('workspace_id', $1::text),
        job_key := ${batchJobKey('$1::text')}, job_key_mode := 'preserve_run_at'))
  END AS added`;
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
/** In the order of the documents, so that two processes that add the same jobs wait for each other in the same order. */
const ADD_EMBEDDINGS = `
  SELECT FROM (
    SELECT document_id, version FROM unnest($1::text[], $2::integer[]) AS u(document_id, version) ORDER BY 1, 2) v,
    ${JOB_SCHEMAS.memo}.add_job('${EMBED}', payload := json_build_object('document_id', v.document_id, 'version', v.version),
      job_key := ${embeddingJobKey('v.document_id', 'v.version', '$3::text')})`;

/** Replaces a job whose process was killed. */
const ADD_GARBAGE_COLLECTION = `SELECT FROM ${JOB_SCHEMAS.memo}.add_job('${COLLECT_GARBAGE}', job_key := '${COLLECT_GARBAGE}')`;

/** Jobs of killed processes that were replaced by other jobs. The queue never deletes them. */
const DELETE_ORPHANED = `
  DELETE FROM ${JOB_SCHEMAS.memo}._private_jobs
  WHERE key IS NULL AND attempts = max_attempts AND coalesce(locked_at, run_at) < clock_timestamp() - interval '1 day'`;

/** A version that waits for its ingestion. */
export type WaitingVersion = Pick<
  DocumentVersion,
  'documentId' | 'version' | 'workspaceId' | 'mediaType' | 'attempts'
> & { bytes: bigint | number };

/** Queues a version of a document that is committed. Replaces a lost job of the same version. */
export async function addIngestionJob(executor: Executor, version: WaitingVersion): Promise<void> {
  if (waitsForBatch(version)) await addBatchJob(executor, version.workspaceId);
  else await addSeparateJobs(executor, [version]);
}

/**
 * Queues the versions that do not wait for a batch; they run after the transaction commits. The batch of the others is
 * queued after the commit.
 */
export async function addSeparateJobs(
  executor: Executor,
  versions: readonly WaitingVersion[],
): Promise<void> {
  for (const { documentId, version, bytes } of versions.filter((each) => !waitsForBatch(each)))
    await executor.query(ADD_INGESTION, [
      documentId,
      version,
      bytes > LONG_DOCUMENT_BYTES ? INGEST_LONG : INGEST,
    ]);
}

/** The same as WAITS_FOR_BATCH for a version that is queued. */
export const waitsForBatch = ({
  attempts,
  bytes,
  mediaType,
}: Pick<WaitingVersion, 'attempts' | 'bytes' | 'mediaType'>): boolean =>
  attempts === 0 && bytes <= MAX_BATCHED_BYTES && BATCHED_TYPES.includes(mediaType);

/**
 * Queues the short documents that wait in a workspace. Call it after the commit of the transaction that adds them: a job that
 * waits may run before it.
 */
export async function addBatchJob(executor: Executor, workspaceId: string): Promise<void> {
  // If a process takes the job at this moment, the library adds nothing; the next attempt adds another job.
  let isAdded = false;
  while (!isAdded) {
    const { rows } = await executor.query<{ added: boolean }>(ADD_BATCH, [workspaceId]);
    isAdded = rows[0]!.added;
  }
}

/** Queues a merge of the workspace's segments, one second later. One job covers all changes until then. */
export async function addMergeJob(executor: Executor, workspaceId: string): Promise<void> {
  await executor.query(ADD_MERGE, [workspaceId]);
}

/** Queues the embedding of versions that are published. Replaces lost jobs of the same versions. */
export async function addEmbeddingJobs(
  executor: Executor,
  versions: readonly { documentId: string; version: number }[],
  model: string,
): Promise<void> {
  if (versions.length === 0) return;
  await executor.query(ADD_EMBEDDINGS, [
    versions.map(({ documentId }) => documentId),
    versions.map(({ version }) => version),
    model,
  ]);
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
