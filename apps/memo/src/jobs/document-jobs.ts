export const INGEST = 'ingest';
export const INGEST_BATCH = 'ingest_batch';
export const INGEST_LONG = 'ingest_long';
export const MERGE = 'merge';
export const COLLECT_GARBAGE = 'clean';
export const EMBED = 'embed';

export interface IngestionJob {
  document_id: string;
  version: number;
}

/** Takes short documents that wait in the workspace. */
export interface BatchJob {
  workspace_id: string;
}

export interface MergeJob {
  workspace_id: string;
}
