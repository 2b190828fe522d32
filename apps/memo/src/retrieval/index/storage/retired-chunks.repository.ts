import { type Transaction } from '@inference/database';
import { type ChunkRange } from '../chunk-range';
import { discardVersion } from './garbage.repository';
import { type RetiredChunk } from '../../../tables/garbage.entity';

const RETIRE_VERSION = `
  INSERT INTO memo.retired_chunks (workspace_id, first_chunk, range_length, chunks, words)
  SELECT workspace_id, first_chunk, chunk_count, chunk_count, words FROM memo.document_versions
  WHERE document_id = $1 AND version = $2 AND first_chunk IS NOT NULL AND chunk_count > 0`;
const RETIRE_RANGE = 'INSERT INTO memo.retired_chunks VALUES ($1, $2, $3, $3, $4)';
const LIST = `
  SELECT first_chunk::float8 AS first, range_length AS length, chunks FROM memo.retired_chunks WHERE workspace_id = $1
  ORDER BY first_chunk`;
const SUBTRACT = `
  UPDATE memo.retired_chunks r SET chunks = r.chunks - u.chunks, words = r.words - u.words
  FROM unnest($2::bigint[], $3::integer[], $4::bigint[]) AS u(first_chunk, chunks, words)
  WHERE r.workspace_id = $1 AND r.first_chunk = u.first_chunk`;
const DELETE_EMPTY = 'DELETE FROM memo.retired_chunks WHERE workspace_id = $1 AND chunks = 0';

export type StoredChunkRange = ChunkRange & Pick<RetiredChunk, 'chunks'>;

/**
 * Removes a published version from all searches when the transaction commits. The caller deletes the row of the
 * version.
 */
export async function retireVersion(
  transaction: Transaction,
  documentId: string,
  version: number,
): Promise<void> {
  await transaction.query(RETIRE_VERSION, [documentId, version]);
  await discardVersion(transaction, documentId, version);
}

/** Records that chunks of a segment are not served, because their version was deleted or replaced before it was published. */
export async function retireChunks(
  transaction: Transaction,
  workspaceId: string,
  { firstChunk, chunks, words }: { firstChunk: bigint; chunks: number; words: number },
): Promise<void> {
  await transaction.query(RETIRE_RANGE, [workspaceId, firstChunk, chunks, words]);
}

/** Ascending. */
export async function listChunkRanges(
  transaction: Transaction,
  workspaceId: string,
): Promise<StoredChunkRange[]> {
  return (await transaction.query<StoredChunkRange>(LIST, [workspaceId])).rows;
}

/**
 * Records that retired chunks are no longer in segments.
 * @param removed chunks and words by the first chunk of their range
 */
export async function subtractRetiredChunks(
  transaction: Transaction,
  workspaceId: string,
  removed: ReadonlyMap<number, { chunks: number; words: number }>,
): Promise<void> {
  const counts = [...removed.values()];
  const values = [[...removed.keys()], counts.map(({ chunks }) => chunks), counts.map(({ words }) => words)];
  await transaction.query(SUBTRACT, [workspaceId, ...values]);
  await transaction.query(DELETE_EMPTY, [workspaceId]);
}
