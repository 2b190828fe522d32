import { JOB_SCHEMAS, type Sql } from '@inference/database';

export const INGEST = 'ingest';
export const INGEST_LONG = 'ingest_long';
export const MERGE = 'merge';
export const CLEAN = 'clean';
export const EMBED = 'embed';

/** What is longer is read where short documents need not wait for it. */
const LONG_BYTES = 1_048_576;

export interface IngestionJob {
  document_id: string;
  version: number;
}

export interface MergeJob {
  workspace_id: string;
}

const ADD_INGESTION = `
  SELECT FROM ${JOB_SCHEMAS.memo}.add_job($3, payload := json_build_object('document_id', $1::text, 'version', $2::integer),
    job_key := $1 || ':' || $2)`;
/** Before the documents that wait: each of them makes a segment more, and searches slower. */
const ADD_MERGE = `
  SELECT FROM ${JOB_SCHEMAS.memo}.add_job('${MERGE}', payload := json_build_object('workspace_id', $1::text),
    job_key := 'merge:' || $1, job_key_mode := 'preserve_run_at', run_at := now() + interval '1 second', priority := -1)`;

/** Of a model: the job for another one, given up, says nothing of it. */
export const EMBEDDING_KEY = (document: string, version: string, model: string) =>
  `'embed:' || ${document} || ':' || ${version} || ':' || ${model}`;
const ADD_EMBEDDING = `
  SELECT FROM ${JOB_SCHEMAS.memo}.add_job('${EMBED}', payload := json_build_object('document_id', $1::text, 'version', $2::integer),
    job_key := ${EMBEDDING_KEY('$1::text', '$2::integer', '$3::text')})`;

/** In the place of one whose process has vanished, too. */
const ADD_CLEANING = `SELECT FROM ${JOB_SCHEMAS.memo}.add_job('${CLEAN}', job_key := '${CLEAN}')`;

/** Has a version of a document worked on as soon as the transaction ends; replaces a job for it that went astray. */
export async function addIngestionJob(
  sql: Sql,
  { documentId, version, bytes }: { documentId: string; version: number; bytes: number },
): Promise<void> {
  await sql.query(ADD_INGESTION, [documentId, version, bytes > LONG_BYTES ? INGEST_LONG : INGEST]);
}

/** Has the segments of a workspace looked at a little later; one job does for all changes until then. */
export async function addMergeJob(sql: Sql, workspaceId: string): Promise<void> {
  await sql.query(ADD_MERGE, [workspaceId]);
}

/** Has a model say what the chunks of a version mean, once that is served; replaces a job for it that went astray. */
export async function addEmbeddingJob(
  sql: Sql,
  { documentId, version }: { documentId: string; version: number },
  model: string,
): Promise<void> {
  await sql.query(ADD_EMBEDDING, [documentId, version, model]);
}

/** Has what was discarded deleted. Outside of other transactions: the job's row is one for all. */
export async function addCleaningJob(sql: Sql): Promise<void> {
  await sql.query(ADD_CLEANING);
}
