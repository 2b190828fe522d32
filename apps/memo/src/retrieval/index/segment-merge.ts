import { type Database, type Transaction } from '@inference/database';
import { PassageAnalyzer } from '../analysis/passage-analyzer';
import { readTextsOfChunks } from '../search/chunks.repository';
import { copyPostings, type SegmentSource } from './postings/postings-merge';
import { findRange, type ChunkRange, retiredSlots } from './chunk-range';
import {
  ANALYSIS,
  type PackedSegment,
  packLengths,
  packNumbers,
  readHead,
  type SegmentHead,
} from './segment';
import { SegmentBuilder } from './segment-builder';
import { discardSegments } from './storage/garbage.repository';
import { insertPostings } from './storage/postings.repository';
import {
  listChunkRanges,
  type StoredChunkRange,
  subtractRetiredChunks,
} from './storage/retired-chunks.repository';
import { mergeVocabularies } from './vocabulary';
import { type Segment } from '../../tables/segment.entity';
import {
  insertSegment,
  listSegments,
  lockMerge,
  lockWorkspaceOfSegments,
  readSegmentHeads,
  readVocabularies,
} from './storage/segments.repository';

/** Chunks that are read and analysed at a time: some hundred milliseconds. */
const PAGE_CHUNKS = 500;

let analyzer: Promise<PassageAnalyzer> | undefined;

/**
 * Indexes the served chunks of a segment anew from their texts. The new segments are seen when the transaction commits; the caller
 * discards the old one in it, so that a search finds each chunk once.
 * @param numbers of the chunks that are not retired, ascending
 */
async function rebuildSegment(
  transaction: Transaction,
  workspaceId: string,
  { head }: { id: Segment['id']; head: SegmentHead },
  numbers: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const passages = await (analyzer ??= PassageAnalyzer.load());
  const lengths = new Map(Array.from(head.numbers, (number, slot) => [number, head.lengths[slot]!]));
  let builder = new SegmentBuilder();
  let built: number[] = [];
  const write = async (): Promise<void> => {
    if (built.length === 0) return;
    const { segment, postings } = builder.build(built);
    const id = await insertSegment(transaction, { workspaceId, firstChunk: built[0]! }, segment);
    await insertPostings(transaction, id, postings);
    [builder, built] = [new SegmentBuilder(), []];
  };
  for (let from = 0; from < numbers.length; from += PAGE_CHUNKS) {
    signal.throwIfAborted();
    const page = numbers.slice(from, from + PAGE_CHUNKS);
    const texts = await readTextsOfChunks(transaction, workspaceId, page);
    for (const number of page) {
      const { title, text } = texts.get(number) ?? { title: '', text: '' };
      // The number of words stays, because versions and retired ranges count with it.
      builder.add(passages.analyze(title, text), lengths.get(number));
      built.push(number);
      if (builder.isFull) await write();
    }
  }
  await write();
}

/** Segments below this size come from single documents and batches. Each segment adds a little time to every search. */
const SMALL_SEGMENT_CHUNKS = 1_024;
/** Half causes twice the merges; twice makes every search read twice the segments. */
const MAX_SMALL_SEGMENTS = 48;
/**
 * Larger segments form tiers by size; each tier is TIER_FACTOR times larger than the one below. A tier with this many
 * segments is merged.
 */
const MAX_SEGMENTS_PER_TIER = 8;
const TIER_FACTOR = 8;
/** Bounds the time of one merge, which twice as many would double; half leaves twice the segments for every search to read. */
const MAX_MERGED_CHUNKS = 131_072;
/**
 * A segment with a larger share of retired chunks is rewritten. Half causes twice the rewrites; at twice, two fifths
 * of the postings that a search reads are useless.
 */
const MAX_RETIRED_SHARE = 0.2;

type SizedSegment = Pick<Segment, 'id' | 'chunks' | 'analysis'>;

/** The segments to merge now; empty if there are few enough. */
export function chooseForMerge<Sized extends SizedSegment>(segments: readonly Sized[]): Sized[] {
  const bySize = new Map<number, Sized[]>();
  // Those of a former analysis are replaced one by one.
  for (const segment of segments.filter(({ analysis }) => analysis === ANALYSIS)) {
    const size = tierOf(segment);
    bySize.set(size, [...(bySize.get(size) ?? []), segment]);
  }
  for (const [size, ofSize] of [...bySize].sort(([one], [other]) => one - other)) {
    const chosen = smallest(ofSize);
    if (chosen.length >= (size === 0 ? MAX_SMALL_SEGMENTS : MAX_SEGMENTS_PER_TIER)) return chosen;
  }
  return [];
}

/** Whether a segment is to be rewritten without its retired chunks. Small segments are merged soon anyway. */
export const hasManyRetiredChunks = ({ chunks }: { chunks: number }, retired: number): boolean =>
  chunks >= SMALL_SEGMENT_CHUNKS && retired > chunks * MAX_RETIRED_SHARE;

/** The tier of a segment, from 0 for small ones. */
function tierOf({ chunks }: Pick<Segment, 'chunks'>): number {
  let size = 0;
  for (let limit = SMALL_SEGMENT_CHUNKS; chunks >= limit; limit *= TIER_FACTOR) size += 1;
  return size;
}

/** The smallest segments that together fit into one. */
function smallest<Sized extends SizedSegment>(segments: Sized[]): Sized[] {
  let chunks = 0;
  return segments
    .toSorted((one, other) => one.chunks - other.chunks)
    .filter((segment) => (chunks += segment.chunks) <= MAX_MERGED_CHUNKS);
}

type ReadSegment = Pick<Segment, 'id' | 'languages' | 'analysis'> & { head: SegmentHead };

/** Rolls a merge back whose segments were deleted with their workspace. */
class WorkspaceGone extends Error {}

/**
 * Merges segments of a workspace and removes retired chunks, or rebuilds a segment of a former analysis: one merge in one transaction. Returns false if nothing
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
  const retired = await listChunkRanges(transaction, workspaceId);
  const chosen = await choose(transaction, workspaceId, retired);
  if (chosen.length === 0) return false;
  const dropped = new Map<number, { chunks: number; words: number }>();
  const { head, firstChunk, sources, numbers } = mergeHeads(chosen, retired, dropped);
  const ids = chosen.map(({ id }) => id);
  if (chosen[0]!.analysis !== ANALYSIS)
    await rebuildSegment(transaction, workspaceId, chosen[0]!, numbers, signal);
  else await copySegments(transaction, workspaceId, { head, firstChunk, sources }, signal);
  if (!(await lockWorkspaceOfSegments(transaction, workspaceId))) throw new WorkspaceGone();
  if ((await discardSegments(transaction, ids)) !== ids.length) throw new WorkspaceGone();
  await subtractRetiredChunks(transaction, workspaceId, dropped);
  return true;
}

async function copySegments(
  transaction: Transaction,
  workspaceId: string,
  { head, firstChunk, sources }: Omit<MergedHeads, 'numbers'>,
  signal: AbortSignal,
): Promise<void> {
  if (head.chunks === 0) return;
  const ids = sources.map(({ id }) => id);
  const packed = (await readVocabularies(transaction, ids)).map(({ vocabulary }) => vocabulary);
  const segment = { ...head, vocabulary: mergeVocabularies(packed) };
  const id = await insertSegment(transaction, { workspaceId, firstChunk }, segment);
  await copyPostings(transaction, sources, id, signal);
}

async function choose(
  transaction: Transaction,
  workspaceId: string,
  retired: StoredChunkRange[],
): Promise<ReadSegment[]> {
  const segments = await listSegments(transaction, workspaceId);
  const former = segments.find(({ analysis }) => analysis !== ANALYSIS);
  if (former) return readSegments(transaction, [former]);
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
  return stored.map(({ id, firstChunk, chunks, numbers, lengths, languages, analysis }) => {
    return { id, head: readHead(Number(firstChunk), chunks, numbers, lengths), languages, analysis };
  });
}

interface MergedHeads {
  head: Omit<PackedSegment, 'vocabulary'>;
  firstChunk: number;
  sources: SegmentSource[];
  /** Of the chunks that are not retired. */
  numbers: number[];
}

/** Merges the heads of segments, and maps the slots of each to slots of the new segment. */
function mergeHeads(
  segments: ReadSegment[],
  retired: ChunkRange[],
  dropped: Map<number, { chunks: number; words: number }>,
): MergedHeads {
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
  const head = {
    analysis: segments[0]!.analysis,
    chunks: living.length,
    words: living.reduce((sum, { words }) => sum + words, 0),
    numbers: packNumbers(numbers),
    lengths: packLengths(living.map(({ words }) => words)),
    languages: sumCounts(segments.map(({ languages }) => languages)),
  };
  return { head, firstChunk: numbers[0] ?? 0, sources, numbers };
}

function sumCounts(counts: Record<string, number>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [language, count] of counts.flatMap((own) => Object.entries(own)))
    sum[language] = (sum[language] ?? 0) + count;
  return sum;
}
