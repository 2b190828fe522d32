import { type MediaType } from './source-files/media-type';

export const DOCUMENT_STATUSES = ['queued', 'processing', 'ready', 'failed'] as const;
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

export interface DocumentRow {
  id: string;
  external_id: string | null;
  version: number;
  serving_version: number | null;
  created_by: string;
  created_at: Date;
  updated_at: Date;
  title: string;
  metadata: Record<string, unknown>;
  media_type: MediaType;
  bytes: bigint;
  sha256: Buffer;
  status: DocumentStatus;
  processed: bigint;
  total: bigint | null;
  chunk_count: number;
  error_code: string | null;
  error_message: string | null;
}

/** Columns of a document `d`, its newest version `v` and its serving version `s`. */
export const DOCUMENT_COLUMNS = `d.id, d.external_id, d.version, d.serving_version, d.created_by, d.created_at, d.updated_at,
  v.title, v.metadata, v.media_type, v.bytes, v.sha256, v.status, v.processed, v.total, coalesce(s.chunk_count, 0) AS chunk_count,
  v.error_code, v.error_message`;
export const DOCUMENT_TABLES = `memo.documents d
  JOIN memo.document_versions v ON v.document_id = d.id AND v.version = d.version
  LEFT JOIN memo.document_versions s ON s.document_id = d.id AND s.version = d.serving_version`;
