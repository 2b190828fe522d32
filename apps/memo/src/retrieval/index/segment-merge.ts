import { type Database, type Sql } from '@inference/database';
import { chooseForMerge, hasManyRetiredChunks } from './merge-policy';
import { copyPostings, type SegmentSource } from './postings-merge';
import { retiredSlots, findRange, type RetiredRange } from './retired-range';
import { packLengths, packNumbers, readHead, type Segment, type SegmentHead } from './segment';
import { insertSegment } from './segment-store';

/** Held until the end of the transaction: one merge per workspace at a time. */
const LOCK = "SELECT pg_try_advisory_xact_lock(hashtextextended('memo.merge:' || $1, 0)) AS locked";
const READ_SEGMENTS = 'SELECT id, chunks FROM memo.segments WHERE workspace_id = $1 ORDER BY id';
const READ_RETIRED = `
  SELECT first_chunk::float8 AS first, range_length AS length, chunks FROM memo.retired_chunks WHERE workspace_id = $1
  ORDER BY first_chunk`;
const READ_HEADS = `
  SELECT id, first_chunk::float8 AS first, chunks, numbers, lengths, languages FROM memo.segments
  WHERE id = ANY($1::bigint[]) ORDER BY id`;
/** The deletion of the workspace takes a conflicting lock before it deletes the segments. */
const LOCK_WORKSPACE = 'SELECT FROM memo.workspaces WHERE id = $1 FOR SHARE';
const DISCARD = `
  WITH gone AS (DELETE FROM memo.segments WHERE id = ANY($1::bigint[]) RETURNING id)
  INSERT INTO memo.garbage (segment_id) SELECT id FROM gone`;
const SUBTRACT_RETIRED = `
  UPDATE memo.retired_chunks r SET chunks = r.chunks - u.chunks, words = r.words - u.words
  FROM unnest($2::bigint[], $3::integer[], $4::bigint[]) AS u(first_chunk, chunks, words)
  WHERE r.workspace_id = $1 AND r.first_chunk = u.first_chunk`;
const DELETE_EMPTY_RANGES = 'DELETE FROM memo.retired_chunks WHERE workspace_id = $1 AND chunks = 0';

interface HeadRow {
  id: bigint;
  first: number;
  chunks: number;
  numbers: Buffer;
  lengths: Buffer;
  languages: Record<string, number>;
}

interface ReadSegment {
  id: bigint;
  head: SegmentHead;
  languages: Record<string, number>;
}

/** Rolls a merge back whose segments were deleted with their workspace. */
class WorkspaceGone extends Error {}

/**
 * Merges segments of a workspace and removes retired chunks: one merge in one transaction. Returns false if nothing
 * is to be done or another process is merging. Searches continue meanwhile. Call it after each publication or
 * retirement until it returns false.
 */
export async function mergeSegments(
  database: Database,
  workspaceId: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return await database.transaction((sql) => mergeOnce(sql, workspaceId, signal));
  } catch (error) {
    if (error instanceof WorkspaceGone) return false;
    throw error;
  }
}

async function mergeOnce(sql: Sql, workspaceId: string, signal: AbortSignal): Promise<boolean> {
  const { rows } = await sql.query<{ locked: boolean }>(LOCK, [workspaceId]);
  if (!rows[0]!.locked) return false;
  // Chunks that are retired from here on are kept and stay retired: ranges refer to chunk numbers, not to segments.
  const retired = (await sql.query<RetiredRange & { chunks: number }>(READ_RETIRED, [workspaceId])).rows;
  const chosen = await choose(sql, workspaceId, retired);
  if (chosen.length === 0) return false;
  const dropped = new Map<number, { chunks: number; words: number }>();
  const { segment, firstChunk, sources } = mergeHeads(chosen, retired, dropped);
  if (segment.chunks > 0) {
    const id = await insertSegment(sql, { workspaceId, firstChunk }, segment);
    await copyPostings(sql, sources, { id, segment }, signal);
  }
  if ((await sql.query(LOCK_WORKSPACE, [workspaceId])).rowCount === 0) throw new WorkspaceGone();
  const discarded = await sql.query(DISCARD, [chosen.map(({ id }) => id)]);
  if (discarded.rowCount !== chosen.length) throw new WorkspaceGone();
  const [firsts, counts] = [[...dropped.keys()], [...dropped.values()]];
  const values = [firsts, counts.map(({ chunks }) => chunks), counts.map(({ words }) => words)];
  await sql.query(SUBTRACT_RETIRED, [workspaceId, ...values]);
  await sql.query(DELETE_EMPTY_RANGES, [workspaceId]);
  return true;
}

async function choose(
  sql: Sql,
  workspaceId: string,
  retired: (RetiredRange & { chunks: number })[],
): Promise<ReadSegment[]> {
  const { rows } = await sql.query<{ id: bigint; chunks: number }>(READ_SEGMENTS, [workspaceId]);
  const chosen = chooseForMerge(rows);
  if (chosen.length > 0) return readSegments(sql, chosen);
  const allRetired = retired.reduce((sum, { chunks }) => sum + chunks, 0);
  for (const candidate of rows.filter((row) => hasManyRetiredChunks(row, allRetired))) {
    const [segment] = await readSegments(sql, [candidate]);
    const dead = segment && retiredSlots(segment.head, retired);
    if (
      dead &&
      hasManyRetiredChunks(
        candidate,
        dead.reduce((sum, isDead) => sum + isDead, 0),
      )
    )
      return [segment];
  }
  return [];
}

async function readSegments(sql: Sql, segments: { id: bigint }[]): Promise<ReadSegment[]> {
  const { rows } = await sql.query<HeadRow>(READ_HEADS, [segments.map(({ id }) => id)]);
  if (rows.length !== segments.length) throw new WorkspaceGone();
  return rows.map(({ id, first, chunks, numbers, lengths, languages }) => {
    return { id, head: readHead(first, chunks, numbers, lengths), languages };
  });
}

/** Merges the heads of segments, and maps the slots of each to slots of the new segment. */
function mergeHeads(
  segments: ReadSegment[],
  retired: RetiredRange[],
  dropped: Map<number, { chunks: number; words: number }>,
): { segment: Segment; firstChunk: number; sources: SegmentSource[] } {
  const sources = segments.map(({ id, head }) => ({ id, slots: new Int32Array(head.chunks).fill(-1) }));
  const living: { number: number; words: number; slots: Int32Array; slot: number }[] = [];
  segments.forEach(({ head }, index) => {
    const { slots } = sources[index]!;
    for (let slot = 0; slot < head.chunks; slot++) {
      const [number, words] = [head.numbers[slot]!, head.lengths[slot]!];
      const range = findRange(number, retired);
      if (!range) living.push({ number, words, slots, slot });
      else {
        const { chunks, words: others } = dropped.get(range.first) ?? { chunks: 0, words: 0 };
        dropped.set(range.first, { chunks: chunks + 1, words: others + words });
      }
    }
  });
  living.sort((one, other) => one.number - other.number);
  living.forEach(({ slots, slot }, index) => (slots[slot] = index));
  const numbers = living.map(({ number }) => number);
  const segment: Segment = {
    chunks: living.length,
    words: living.reduce((sum, { words }) => sum + words, 0),
    numbers: packNumbers(numbers),
    lengths: packLengths(living.map(({ words }) => words)),
    languages: sumCounts(segments.map(({ languages }) => languages)),
  };
  return { segment, firstChunk: numbers[0] ?? 0, sources };
}

function sumCounts(counts: Record<string, number>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [language, count] of counts.flatMap((own) => Object.entries(own)))
    sum[language] = (sum[language] ?? 0) + count;
  return sum;
}
