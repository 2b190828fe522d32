import { type Database, type Transaction } from '@inference/database';
import { chooseForMerge, hasManyRetiredChunks } from './merge-policy';
import { copyPostings, type SegmentSource } from './postings/postings-merge';
import { retiredSlots, findRange, type RetiredRange } from './retired-range';
import { packLengths, packNumbers, readHead, type PackedSegment, type SegmentHead } from './segment';
import { discardSegments } from './storage/garbage.repository';
import {
  listRetiredRanges,
  type StoredRetiredRange,
  subtractRetiredChunks,
} from './storage/retired-chunks.repository';
import { type Segment } from './storage/segment.entity';
import {
  insertSegment,
  listSegments,
  lockMerge,
  lockWorkspaceOfSegments,
  readSegmentHeads,
} from './storage/segments.repository';

type ReadSegment = Pick<Segment, 'id' | 'languages'> & { head: SegmentHead };

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
    return await database.transaction((transaction) => mergeOnce(transaction, workspaceId, signal));
  } catch (error) {
    if (error instanceof WorkspaceGone) return false;
    throw error;
  }
}

async function mergeOnce(
  transaction: Transaction,
  workspaceId: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (!(await lockMerge(transaction, workspaceId))) return false;
  // Chunks that are retired from here on are kept and stay retired: ranges refer to chunk numbers, not to segments.
  const retired = await listRetiredRanges(transaction, workspaceId);
  const chosen = await choose(transaction, workspaceId, retired);
  if (chosen.length === 0) return false;
  const dropped = new Map<number, { chunks: number; words: number }>();
  const { segment, firstChunk, sources } = mergeHeads(chosen, retired, dropped);
  if (segment.chunks > 0) {
    const id = await insertSegment(transaction, { workspaceId, firstChunk }, segment);
    await copyPostings(transaction, sources, id, signal);
  }
  if (!(await lockWorkspaceOfSegments(transaction, workspaceId))) throw new WorkspaceGone();
  const ids = chosen.map(({ id }) => id);
  if ((await discardSegments(transaction, ids)) !== ids.length) throw new WorkspaceGone();
  await subtractRetiredChunks(transaction, workspaceId, dropped);
  return true;
}

async function choose(
  transaction: Transaction,
  workspaceId: string,
  retired: StoredRetiredRange[],
): Promise<ReadSegment[]> {
  const segments = await listSegments(transaction, workspaceId);
  const chosen = chooseForMerge(segments);
  if (chosen.length > 0) return readSegments(transaction, chosen);
  const allRetired = retired.reduce((sum, { chunks }) => sum + chunks, 0);
  for (const candidate of segments.filter((segment) => hasManyRetiredChunks(segment, allRetired))) {
    const [segment] = await readSegments(transaction, [candidate]);
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

async function readSegments(
  transaction: Transaction,
  segments: Pick<Segment, 'id'>[],
): Promise<ReadSegment[]> {
  const stored = await readSegmentHeads(
    transaction,
    segments.map(({ id }) => id),
  );
  if (stored.length !== segments.length) throw new WorkspaceGone();
  return stored.map(({ id, firstChunk, chunks, numbers, lengths, languages }) => {
    return { id, head: readHead(Number(firstChunk), chunks, numbers, lengths), languages };
  });
}

/** Merges the heads of segments, and maps the slots of each to slots of the new segment. */
function mergeHeads(
  segments: ReadSegment[],
  retired: RetiredRange[],
  dropped: Map<number, { chunks: number; words: number }>,
): { segment: PackedSegment; firstChunk: number; sources: SegmentSource[] } {
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
  const segment: PackedSegment = {
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
