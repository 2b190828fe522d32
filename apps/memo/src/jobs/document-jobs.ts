export const INGEST = 'ingest';
export const INGEST_LONG = 'ingest_long';
export const MERGE = 'merge';
export const COLLECT_GARBAGE = 'clean';
export const EMBED = 'embed';

export interface IngestionJob {
  document_id: string;
  version: number;
}

export interface MergeJob {
  workspace_id: string;
}
