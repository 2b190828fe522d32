import { type QueryWord } from '../analysis/query-analysis';
import { UnpackedPostings } from '../index/postings/postings';
import { type ChunkRange, findRange, retiredSlots } from '../index/chunk-range';
import { type SegmentHead } from '../index/segment';
import { TopChunks, type ScoredChunk } from './top-chunks';
import { type IndexSnapshot } from './index-snapshot';
import { type TermWeights, termWeights } from './term-weights';

/**
 * Parameters of BM25: saturation of the term frequency, and penalty for long chunks. They are the values that are known
 * to work for most collections, not tuned for one (ADR 16).
 */
const K1 = 0.9;
const B = 0.4;

export interface Ranking {
  /** Best first; of equal scores the older chunk first. */
  best: ScoredChunk[];
  weights: TermWeights;
}

/** The unpacked postings of one term of a query word in one segment. */
interface PostingRun {
  word: number;
  term: string;
  from: number;
  to: number;
}

/** Shared by all searches: ranking is synchronous, so only one search uses them at a time. */
const postings = new UnpackedPostings();
let scores = new Float64Array(8_192);
let informationSums = new Float64Array(8_192);

/** Ranks chunks by BM25. Retired chunks do not count in any figure. */
export function rank(
  snapshot: IndexSnapshot,
  heads: ReadonlyMap<number, SegmentHead>,
  words: readonly QueryWord[],
  count: number,
  withCommon: boolean,
): Ranking {
  const { runs, frequencies } = unpack(snapshot, heads, words);
  const weights = termWeights(words, frequencies, snapshot, withCommon);
  const best = new TopChunks(count);
  for (const [segmentId, segmentRuns] of runs) {
    // In a fixed order, so that equal matches have exactly equal sums.
    const used = segmentRuns
      .filter(({ word }) => weights.score[word]! > 0)
      .sort((one, other) => one.word - other.word || (one.term < other.term ? -1 : 1));
    if (used.length > 0) scoreSegment(heads.get(segmentId)!, used, weights, snapshot, best);
  }
  return { best: best.sorted(), weights };
}

function unpack(
  snapshot: IndexSnapshot,
  heads: ReadonlyMap<number, SegmentHead>,
  words: readonly QueryWord[],
) {
  const wordsOf = new Map<string, number[]>();
  words.forEach(({ terms }, place) => {
    for (const term of terms) wordsOf.set(term, [...(wordsOf.get(term) ?? []), place]);
  });
  const frequencies = new Float64Array(words.length);
  const runs = new Map<number, PostingRun[]>(snapshot.segmentIds.map((id) => [id, []]));
  const retired = new Map(
    snapshot.segmentIds.map((id) => [id, retiredSlots(heads.get(id)!, snapshot.retired)]),
  );
  postings.clear();
  for (const { segmentId, term, packed } of snapshot.lists) {
    const from = postings.length;
    postings.append(packed, retired.get(segmentId));
    const to = postings.length;
    for (const word of wordsOf.get(term)!) {
      frequencies[word]! += to - from;
      runs.get(segmentId)!.push({ word, term, from, to });
    }
  }
  // A chunk that contains several forms of a word is counted once per form.
  for (let wordIndex = 0; wordIndex < words.length; wordIndex++)
    frequencies[wordIndex] = Math.min(frequencies[wordIndex]!, snapshot.chunks);
  return { runs, frequencies };
}

function scoreSegment(
  { chunks, numbers, lengths }: SegmentHead,
  runs: PostingRun[],
  weights: TermWeights,
  { words, chunks: servedChunks, chosen }: Pick<IndexSnapshot, 'words' | 'chunks' | 'chosen'>,
  best: TopChunks,
): void {
  if (scores.length < chunks)
    [scores, informationSums] = [new Float64Array(chunks), new Float64Array(chunks)];
  const { slots, frequencies } = postings;
  const [score, information] = [scores, informationSums];
  score.fill(0, 0, chunks);
  information.fill(0, 0, chunks);
  const base = K1 * (1 - B);
  const perWord = (K1 * B) / (words / servedChunks);
  for (const { word, from, to } of runs) {
    const maxScore = weights.score[word]! * (K1 + 1);
    const wordInformation = weights.information[word]!;
    for (let i = from; i < to; i++) {
      const slot = slots[i]!;
      const frequency = frequencies[i]!;
      score[slot]! += (maxScore * frequency) / (frequency + base + perWord * lengths[slot]!);
      information[slot]! += wordInformation;
    }
  }
  for (let slot = 0; slot < chunks; slot++) {
    const value = score[slot]!;
    if (value > 0 && value >= best.minScore && information[slot]! >= weights.minMatchInformation)
      if (isChosen(numbers[slot]!, chosen)) best.offer(numbers[slot]!, value);
  }
}

const isChosen = (number: number, chosen: readonly ChunkRange[] | null) =>
  chosen === null || findRange(number, chosen) !== undefined;
