import { type Sql } from '@inference/database';

const RETIRE = `
  INSERT INTO memo.retired_chunks (workspace_id, first_chunk, range_length, chunks, words)
  SELECT workspace_id, first_chunk, chunk_count, chunk_count, words FROM memo.document_versions
  WHERE document_id = $1 AND version = $2 AND first_chunk IS NOT NULL AND chunk_count > 0`;
const DISCARD_VERSION = 'INSERT INTO memo.garbage (document_id, version) VALUES ($1, $2)';
/** In the common lock order: documents, versions, files. */
const DISCARD_WORKSPACE = [
  'SELECT FROM memo.documents WHERE workspace_id = $1 ORDER BY id FOR UPDATE',
  `WITH gone AS (DELETE FROM memo.document_versions WHERE workspace_id = $1 RETURNING document_id, version, upload_id),
     discarded AS (INSERT INTO memo.garbage (document_id, version) SELECT document_id, version FROM gone)
   DELETE FROM memo.source_parts WHERE upload_id IN (SELECT upload_id FROM gone)`,
  `WITH gone AS (DELETE FROM memo.segments WHERE workspace_id = $1 RETURNING id)
   INSERT INTO memo.garbage (segment_id) SELECT id FROM gone`,
  'DELETE FROM memo.retired_chunks WHERE workspace_id = $1',
];

/**
 * Removes a published version from all searches when the transaction commits. The caller deletes the row of the
 * version.
 */
export async function retireVersion(sql: Sql, documentId: string, version: number): Promise<void> {
  await sql.query(RETIRE, [documentId, version]);
  await discardVersion(sql, documentId, version);
}

/** Marks the stored data of an invisible version for deletion in the background. */
export async function discardVersion(sql: Sql, documentId: string, version: number): Promise<void> {
  await sql.query(DISCARD_VERSION, [documentId, version]);
}

/** Marks all stored data of a workspace for deletion in the background. The caller holds the lock of the workspace and deletes it. */
export async function discardWorkspace(sql: Sql, workspaceId: string): Promise<void> {
  for (const text of DISCARD_WORKSPACE) await sql.query(text, [workspaceId]);
}
