import { firstIdAt, JOB_SCHEMAS, type SqlPool } from '@inference/database';
import { SILENCE_SECONDS } from './claims';
import { addCleaningJob, addEmbeddingJob, addIngestionJob, EMBEDDING_KEY } from './ingestion-jobs';

/** An upload that is not whole after so long never will be. */
const UPLOAD_MILLIS = 24 * 3_600_000;

/** Those whose worker has vanished, whether it had begun or not, and those whose job has. */
const FIND_ASTRAY = `
  SELECT v.document_id AS "documentId", v.version, v.bytes::float8 AS bytes FROM memo.document_versions v
  WHERE v.status IN ('queued', 'processing') AND v.beat_at < clock_timestamp() - make_interval(secs => ${SILENCE_SECONDS})
    AND NOT EXISTS (
      SELECT FROM ${JOB_SCHEMAS.memo}.jobs j WHERE j.key = v.document_id || ':' || v.version
        AND (j.locked_at IS NULL OR j.locked_at > clock_timestamp() - make_interval(secs => ${SILENCE_SECONDS})))
  ORDER BY v.beat_at LIMIT 100`;
/** Those of no version: their senders broke off, or the process did that took them in. */
const DELETE_PARTS = `
  DELETE FROM memo.source_parts p WHERE p.upload_id < $1
    AND NOT EXISTS (SELECT FROM memo.document_versions v WHERE v.upload_id = p.upload_id)`;
/** The same of segments, by versions that are gone: all others are discarded when their version is. */
const DISCARD_SEGMENTS = `
  INSERT INTO memo.garbage (document_id, version)
  SELECT DISTINCT s.document_id, s.version FROM memo.segments s
  WHERE s.workspace_id IS NULL AND NOT EXISTS (
    SELECT FROM memo.document_versions v WHERE v.document_id = s.document_id AND v.version = s.version)`;

/** Jobs of processes that were killed, in whose place others have come: the queue keeps them for ever. */
const FORGET_JOBS = `
  DELETE FROM ${JOB_SCHEMAS.memo}._private_jobs
  WHERE key IS NULL AND attempts = max_attempts AND coalesce(locked_at, run_at) < clock_timestamp() - interval '1 day'`;

/** A job that says what chunks mean takes less; one that takes more is that of a process that was killed. */
const EMBEDDING_MINUTES = 10;
/**
 * What is served and has not all its vectors of the model: it was there before the model, or its job's process was killed.
 * One whose job was given up, after some days, still has that job. The terms are those of an index.
 */
const FIND_UNEMBEDDED = `
  SELECT v.document_id AS "documentId", v.version FROM memo.document_versions v
  WHERE v.status = 'ready' AND (v.embedding_model IS NULL OR v.embedding_model < $1 OR v.embedding_model > $1
      OR v.embedding_model = $1 AND (v.embedded < v.chunk_count) = true)
    AND NOT EXISTS (
      SELECT FROM ${JOB_SCHEMAS.memo}.jobs j
      WHERE j.key = ${EMBEDDING_KEY('v.document_id', 'v.version', '$1::text')}
        AND (j.locked_at IS NULL OR j.locked_at > clock_timestamp() - make_interval(mins => ${EMBEDDING_MINUTES})))
  LIMIT 500`;

const IS_GARBAGE = 'SELECT FROM memo.garbage LIMIT 1';

/** Puts right what processes that were killed have left behind, and has deleted what nobody sees any more. */
export async function sweep(pool: SqlPool, embeddingModel: string | undefined): Promise<void> {
  const { rows } = await pool.query<{ documentId: string; version: number; bytes: number }>(FIND_ASTRAY);
  for (const astray of rows) await addIngestionJob(pool, astray);
  await pool.query(DELETE_PARTS, [firstIdAt('up', Date.now() - UPLOAD_MILLIS)]);
  await pool.query(DISCARD_SEGMENTS);
  await pool.query(FORGET_JOBS);
  if ((await pool.query(IS_GARBAGE)).rowCount) await addCleaningJob(pool);
  if (embeddingModel !== undefined) await addEmbeddingJobs(pool, embeddingModel);
}

async function addEmbeddingJobs(pool: SqlPool, model: string): Promise<void> {
  const { rows } = await pool.query<{ documentId: string; version: number }>(FIND_UNEMBEDDED, [model]);
  for (const served of rows) await addEmbeddingJob(pool, served, model);
}
