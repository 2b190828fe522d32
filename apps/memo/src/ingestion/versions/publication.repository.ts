import { type Transaction } from '@inference/database';
import { type MemoDocument } from '../../tables/document.entity';

const LOCK_WORKSPACE = 'SELECT FROM memo.workspaces WHERE id = $1 FOR NO KEY UPDATE';
const LOCK_DOCUMENT =
  'SELECT serving_version AS "servingVersion" FROM memo.documents WHERE id = $1 FOR UPDATE';
const LOCK_DOCUMENTS = `
  SELECT id, serving_version AS "servingVersion" FROM memo.documents WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE`;
const RESERVE_CHUNK_NUMBERS =
  'UPDATE memo.workspaces SET next_chunk = next_chunk + $2 WHERE id = $1 RETURNING next_chunk - $2 AS first';
const SERVE = 'UPDATE memo.documents SET serving_version = $2, updated_at = clock_timestamp() WHERE id = $1';
const SERVE_ALL = `
  UPDATE memo.documents d SET serving_version = u.version, updated_at = clock_timestamp()
  FROM unnest($1::text[], $2::integer[]) AS u(id, version) WHERE d.id = u.id`;
const DELETE_VERSION = `
  WITH gone AS (DELETE FROM memo.document_versions WHERE document_id = $1 AND version = $2 RETURNING upload_id)
  DELETE FROM memo.source_parts WHERE upload_id IN (SELECT upload_id FROM gone)`;

/**
 * Locks a document after its workspace, in the order of the deletion of a workspace. Undefined if the document is
 * deleted.
 */
export async function lockDocumentInWorkspace(
  transaction: Transaction,
  { documentId, workspaceId }: { documentId: string; workspaceId: string },
): Promise<Pick<MemoDocument, 'servingVersion'> | undefined> {
  await transaction.query(LOCK_WORKSPACE, [workspaceId]);
  return (await transaction.query<Pick<MemoDocument, 'servingVersion'>>(LOCK_DOCUMENT, [documentId])).rows[0];
}

/** Locks documents after their workspace. Returns the served versions by document; a deleted document is missing. */
export async function lockDocumentsInWorkspace(
  transaction: Transaction,
  workspaceId: string,
  documentIds: string[],
): Promise<Map<string, MemoDocument['servingVersion']>> {
  await transaction.query(LOCK_WORKSPACE, [workspaceId]);
  const { rows } = await transaction.query<Pick<MemoDocument, 'id' | 'servingVersion'>>(LOCK_DOCUMENTS, [
    documentIds,
  ]);
  return new Map(rows.map(({ id, servingVersion }) => [id, servingVersion]));
}

/** Returns the first of `count` consecutive chunk numbers that no other version of the workspace gets. */
export async function reserveChunkNumbers(
  transaction: Transaction,
  workspaceId: string,
  count: number,
): Promise<bigint> {
  const { rows } = await transaction.query<{ first: bigint }>(RESERVE_CHUNK_NUMBERS, [workspaceId, count]);
  return rows[0]!.first;
}

/** Makes a version the one that is served. */
export async function serveVersion(
  transaction: Transaction,
  documentId: string,
  version: number,
): Promise<void> {
  await transaction.query(SERVE, [documentId, version]);
}

/** Makes versions of several documents the ones that are served. */
export async function serveVersions(
  transaction: Transaction,
  versions: readonly { documentId: string; version: number }[],
): Promise<void> {
  const [ids, numbers] = [
    versions.map(({ documentId }) => documentId),
    versions.map(({ version }) => version),
  ];
  await transaction.query(SERVE_ALL, [ids, numbers]);
}

/** Deletes its file, too. */
export async function deleteVersion(
  transaction: Transaction,
  documentId: string,
  version: number,
): Promise<void> {
  await transaction.query(DELETE_VERSION, [documentId, version]);
}
