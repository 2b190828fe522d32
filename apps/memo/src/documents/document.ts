import { type MediaType } from './source-files/media-type';

export type DocumentStatus = 'queued' | 'processing' | 'ready' | 'failed';

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

export interface DocumentView {
  id: string;
  title: string;
  external_id: string | null;
  metadata: Record<string, unknown>;
  media_type: MediaType;
  bytes: number;
  /**
   * Status of the newest version. Except for `serving_version` and `chunk_count`, all fields describe the newest
   * version.
   */
  status: DocumentStatus;
  version: number;
  /** The version that search and citations use; null until a version was ready. */
  serving_version: number | null;
  /** Hexadecimal. Of the uploaded file; for a JSON upload, of its text in UTF-8. */
  sha256: string;
  /** Number of chunks of the serving version. */
  chunk_count: number;
  /**
   * In pages for PDF and in bytes for other formats. `total` is null until it is known. Null if no version is being
   * processed.
   */
  progress: { processed: number; total: number | null } | null;
  error: { code: string; message: string } | null;
  created_by: string;
  created_at: string;
  updated_at: string;
}

/** Columns of a document `d`, its newest version `v` and its serving version `s`. */
export const DOCUMENT_COLUMNS = `d.id, d.external_id, d.version, d.serving_version, d.created_by, d.created_at, d.updated_at,
  v.title, v.metadata, v.media_type, v.bytes, v.sha256, v.status, v.processed, v.total, coalesce(s.chunk_count, 0) AS chunk_count,
  v.error_code, v.error_message`;
export const DOCUMENT_TABLES = `memo.documents d
  JOIN memo.document_versions v ON v.document_id = d.id AND v.version = d.version
  LEFT JOIN memo.document_versions s ON s.document_id = d.id AND s.version = d.serving_version`;

export function viewOf(row: DocumentRow): DocumentView {
  const isUnderWay = row.status === 'queued' || row.status === 'processing';
  return {
    id: row.id,
    title: row.title,
    external_id: row.external_id,
    metadata: row.metadata,
    media_type: row.media_type,
    bytes: Number(row.bytes),
    status: row.status,
    version: row.version,
    serving_version: row.serving_version,
    sha256: row.sha256.toString('hex'),
    chunk_count: row.chunk_count,
    progress: isUnderWay
      ? { processed: Number(row.processed), total: row.total === null ? null : Number(row.total) }
      : null,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
