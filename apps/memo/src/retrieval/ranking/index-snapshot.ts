import { type QueryWord } from '../analysis/query-analysis';
import { type ChunkRange } from '../index/chunk-range';

/**
 * A query word in a larger share of the passages is ignored, unless all words are that common. Half ignores words that
 * still distinguish passages; twice reads the longest postings for words that distinguish none.
 */
export const COMMON_CHARACTER_SHARE = 0.3;
export const COMMON_WORD_SHARE = 0.5;
/** With fewer passages the share of a word says little, because a word may be common in them by chance. */
export const MIN_CHUNKS_FOR_COMMON_WORDS = 1_000;

/** The packed postings of a term in a segment (PostingBlockPacker). */
export interface PostingList {
  segmentId: number;
  term: string;
  packed: Buffer;
}

/** The data of an index that a query needs, at one moment. */
export interface IndexSnapshot {
  /** Number of served chunks, and the words in them. */
  chunks: number;
  words: number;
  segmentIds: number[];
  retired: ChunkRange[];
  lists: PostingList[];
  /** The chunks that are ranked, ascending; null if all are. */
  chosen: ChunkRange[] | null;
  /** Terms whose postings were not read. */
  commonTerms: Set<string>;
}

/** Whether a word occurs in too many chunks to distinguish them. */
export function isCommon(word: QueryWord, frequency: number, chunks: number): boolean {
  if (word.isCharacter) return frequency > chunks * COMMON_CHARACTER_SHARE;
  return chunks >= MIN_CHUNKS_FOR_COMMON_WORDS && frequency > chunks * COMMON_WORD_SHARE;
}
