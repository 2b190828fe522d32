import { type Executor, type Transaction } from '@inference/database';
import { Garbage } from '../../../tables/garbage.entity';

const DISCARD_SEGMENTS = `
  WITH gone AS (DELETE FROM memo.segments WHERE id = ANY($1::bigint[]) RETURNING id)
  INSERT INTO memo.garbage (segment_id) SELECT id FROM gone`;
const DISCARD_UNPUBLISHED_SEGMENTS = `
  WITH gone AS (DELETE FROM memo.segments WHERE document_id = $1 AND version = $2 AND workspace_id IS NULL RETURNING id)
  INSERT INTO memo.garbage (segment_id) SELECT id FROM gone`;
const DISCARD_LOST_VERSIONS = `
  INSERT INTO memo.garbage (document_id, version)
  SELECT DISTINCT s.document_id, s.version FROM memo.segments s
  WHERE s.workspace_id IS NULL AND NOT EXISTS (
    SELECT FROM memo.document_versions v WHERE v.document_id = s.document_id AND v.version = s.version)`;
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

/** Locks the oldest entry that no other process works on; null if there is none. */
export async function lockOldestGarbage(transaction: Transaction): Promise<Garbage | null> {
  const lock = { mode: 'pessimistic_write', onLocked: 'skip_locked' } as const;
  const [oldest] = await transaction.repository(Garbage).find({ order: { id: 'ASC' }, take: 1, lock });
  return oldest ?? null;
}

export function hasGarbage(executor: Executor): Promise<boolean> {
  return executor.repository(Garbage).exists();
}

export async function deleteGarbage(transaction: Transaction, { id }: Garbage): Promise<void> {
  await transaction.repository(Garbage).delete({ id });
}

/** Marks the stored data of an invisible version for deletion in the background. */
export async function discardVersion(executor: Executor, documentId: string, version: number): Promise<void> {
  await executor.repository(Garbage).insert({ documentId, version });
}

/** Marks segments for deletion in the background. Returns how many of them there were. */
export async function discardSegments(transaction: Transaction, ids: bigint[]): Promise<number> {
  return (await transaction.query(DISCARD_SEGMENTS, [ids])).rowCount!;
}

/** Marks the segments of a version for deletion in the background, except those in the index of its workspace. */
export async function discardUnpublishedSegments(
  executor: Executor,
  documentId: string,
  version: number,
): Promise<void> {
  await executor.query(DISCARD_UNPUBLISHED_SEGMENTS, [documentId, version]);
}

/**
 * Marks the data of deleted versions that left unpublished segments behind for deletion in the background. All other
 * segments are discarded with their version.
 */
export async function discardLostVersions(executor: Executor): Promise<void> {
  await executor.query(DISCARD_LOST_VERSIONS);
}

/**
 * Marks all stored data of a workspace for deletion in the background. The caller holds the lock of the workspace and
 * deletes it.
 */
export async function discardWorkspace(transaction: Transaction, workspaceId: string): Promise<void> {
  for (const text of DISCARD_WORKSPACE) await transaction.query(text, [workspaceId]);
}
