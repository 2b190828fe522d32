import { type Executor, type Transaction } from '@inference/database';
import { type PackedSegment } from '../segment';
import { type Segment } from '../../../tables/segment.entity';

/** Held until the end of the transaction: one merge per workspace at a time. */
const LOCK_MERGE = "SELECT pg_try_advisory_xact_lock(hashtextextended('memo.merge:' || $1, 0)) AS locked";
/** The deletion of the workspace takes a conflicting lock before it deletes the segments. */
const LOCK_WORKSPACE = 'SELECT FROM memo.workspaces WHERE id = $1 FOR SHARE';
const LIST = 'SELECT id, chunks, analysis FROM memo.segments WHERE workspace_id = $1 ORDER BY id';
const READ_HEADS = `
  SELECT id, first_chunk AS "firstChunk", chunks, numbers, lengths, languages, analysis FROM memo.segments
  WHERE id = ANY($1::bigint[]) ORDER BY id`;
const READ_VOCABULARIES =
  'SELECT id::float8 AS id, vocabulary FROM memo.segments WHERE id = ANY($1::bigint[])';
const FIND_FORMER = `
  SELECT DISTINCT workspace_id AS "workspaceId" FROM memo.segments
  WHERE analysis < $1 AND workspace_id IS NOT NULL LIMIT $2`;
const COUNT_BY_LANGUAGE = {
  name: 'search-languages',
  text: `
    SELECT l.key AS language, sum(l.value::integer)::integer AS chunks
    FROM memo.segments s CROSS JOIN LATERAL json_each_text(s.languages) l WHERE s.workspace_id = $1
    GROUP BY l.key ORDER BY chunks DESC, l.key`,
};
const INSERT = `
  INSERT INTO memo.segments
    (workspace_id, document_id, version, first_chunk, numbers, chunks, words, lengths, languages, analysis, vocabulary)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING id`;
const PUBLISH = `
  UPDATE memo.segments s SET workspace_id = $1, first_chunk = $2::bigint + u.first_chunk
  FROM unnest($3::bigint[], $4::integer[]) AS u(id, first_chunk) WHERE s.id = u.id`;

/** The owner of a segment: a version that is not published yet, or the workspace. */
type SegmentOwner = { documentId: string; version: number } | { workspaceId: string; firstChunk: number };

/** What `readHead` unpacks, and the languages. */
type StoredSegmentHead = Pick<
  Segment,
  'id' | 'firstChunk' | 'chunks' | 'numbers' | 'lengths' | 'languages' | 'analysis'
>;
type ListedSegment = Pick<Segment, 'id' | 'chunks' | 'analysis'>;

/** Returns false if another process is merging segments of the workspace. */
export async function lockMerge(transaction: Transaction, workspaceId: string): Promise<boolean> {
  const { rows } = await transaction.query<{ locked: boolean }>(LOCK_MERGE, [workspaceId]);
  return rows[0]!.locked;
}

/** Keeps the segments of the workspace from being deleted with it. Returns false if it is deleted. */
export async function lockWorkspaceOfSegments(
  transaction: Transaction,
  workspaceId: string,
): Promise<boolean> {
  return (await transaction.query(LOCK_WORKSPACE, [workspaceId])).rowCount === 1;
}

/** The published segments of a workspace, in the order of their ids. */
export async function listSegments(executor: Executor, workspaceId: string): Promise<ListedSegment[]> {
  return (await executor.query<ListedSegment>(LIST, [workspaceId])).rows;
}

/** In the order of their ids. Segments that were merged away are missing. */
export async function readSegmentHeads(
  executor: Executor,
  ids: readonly (bigint | number)[],
): Promise<StoredSegmentHead[]> {
  return (await executor.query<StoredSegmentHead>(READ_HEADS, [ids])).rows;
}

/** Chunks of a workspace by language of the stemmer, the most frequent language first. Retired chunks count. */
export async function countChunksByLanguage(
  executor: Executor,
  workspaceId: string,
): Promise<{ language: string; chunks: number }[]> {
  const statement = { ...COUNT_BY_LANGUAGE, values: [workspaceId] };
  return (await executor.query<{ language: string; chunks: number }>(statement)).rows;
}

/** Returns the id of the segment. */
export async function insertSegment(
  executor: Executor,
  owner: SegmentOwner,
  segment: PackedSegment,
): Promise<bigint> {
  const { numbers, chunks, words, lengths, languages, analysis, vocabulary } = segment;
  const belongsTo =
    'workspaceId' in owner
      ? [owner.workspaceId, null, null, owner.firstChunk]
      : [null, owner.documentId, owner.version, null];
  const { rows } = await executor.query<Pick<Segment, 'id'>>(INSERT, [
    ...belongsTo,
    ...[numbers, chunks, words, lengths, JSON.stringify(languages), analysis, Buffer.from(vocabulary)],
  ]);
  return rows[0]!.id;
}

/**
 * Adds the segments of a version to the index of its workspace.
 * @param firstChunk number of the version's first chunk in the workspace
 * @param segments each with the index of its first chunk in the version
 */
export async function publishSegments(
  transaction: Transaction,
  workspaceId: string,
  firstChunk: bigint,
  segments: readonly { id: bigint; firstChunk: number }[],
): Promise<void> {
  const [ids, places] = [segments.map(({ id }) => id), segments.map((segment) => segment.firstChunk)];
  await transaction.query(PUBLISH, [workspaceId, firstChunk, ids, places]);
}

/** The packed words of segments by id. Segments that were merged away are missing. */
export async function readVocabularies(
  executor: Executor,
  ids: readonly (bigint | number)[],
): Promise<{ id: number; vocabulary: Buffer }[]> {
  return (await executor.query<{ id: number; vocabulary: Buffer }>(READ_VOCABULARIES, [ids])).rows;
}

/** Workspaces with published segments of a former analysis, at most `count`. */
export async function findWorkspacesOfFormerAnalysis(
  executor: Executor,
  analysis: number,
  count: number,
): Promise<string[]> {
  const { rows } = await executor.query<{ workspaceId: string }>(FIND_FORMER, [analysis, count]);
  return rows.map(({ workspaceId }) => workspaceId);
}
