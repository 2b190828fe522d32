import { type QueryWord } from '../analysis/query-analysis';
import { UnpackedPostings } from '../index/postings/postings';
import { type ChunkRange, findRange, retiredSlots } from '../index/chunk-range';
import { type SegmentHead } from '../index/segment';
import { TopChunks, type ScoredChunk } from './top-chunks';
import { type IndexSnapshot } from './index-snapshot.repository';
import { type TermWeights, termWeights } from './term-weights';

/** Parameters of BM25: saturation of the term frequency, and penalty for long chunks. Chosen on several collections (ADR 77). */
const SPACED = { k1: 1.2, b: 0.5 };
/** For pairs of characters, of which a passage repeats few. */
const UNSPACED = { k1: 0.9, b: 0.4 };

/** What a match of another spelling or of a correction counts. Half hides it behind common words; twice ranks it like the word itself. */
const WEAK_MATCH = 0.5;
/** More required words are not told apart; their passages are compared by their texts. */
const MAX_REQUIRED_WORDS = 30;
const EXCLUDED = 1 << 30;

export interface Ranking {
  /** Best first; of equal scores the older chunk first. */
  best: ScoredChunk[];
  weights: TermWeights;
  /** Number of passages that contain each word. */
  frequencies: Float64Array;
}

/** The unpacked postings of one term of a query word in one segment. */
interface PostingRun {
  word: number;
  term: string;
  isWeak: boolean;
  isSpaced: boolean;
  from: number;
  to: number;
}

/** Shared by all searches: ranking is synchronous, so only one search uses them at a time. */
const postings = new UnpackedPostings();
let scores = new Float64Array(8_192);
let informationSums = new Float64Array(8_192);
/** By slot: a bit for each required word, and EXCLUDED. */
let conditions = new Int32Array(8_192);

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
  const flags = conditionFlags(words);
  for (const [segmentId, segmentRuns] of runs) {
    // In a fixed order, so that equal matches have exactly equal sums.
    const used = segmentRuns
      .filter(({ word }) => weights.score[word]! > 0 || flags[word]! > 0)
      .sort((one, other) => one.word - other.word || (one.term < other.term ? -1 : 1));
    if (used.length > 0) scoreSegment(heads.get(segmentId)!, used, weights, flags, snapshot, best);
  }
  return { best: best.sorted(), weights, frequencies };
}

/** By word: the bit that its postings set; 0 if a passage need not have it. */
function conditionFlags(words: readonly QueryWord[]): Int32Array {
  let next = 0;
  return Int32Array.from(words, ({ isRequired, isExcluded }) => {
    if (isExcluded) return EXCLUDED;
    return isRequired && next < MAX_REQUIRED_WORDS ? 1 << next++ : 0;
  });
}

function unpack(
  snapshot: IndexSnapshot,
  heads: ReadonlyMap<number, SegmentHead>,
  words: readonly QueryWord[],
) {
  const wordsOf = new Map<string, { word: number; isWeak: boolean }[]>();
  words.forEach(({ terms, weakTerms }, word) => {
    const add = (term: string, isWeak: boolean) =>
      wordsOf.set(term, [...(wordsOf.get(term) ?? []), { word, isWeak }]);
    for (const term of terms) add(term, false);
    for (const term of weakTerms) add(term, true);
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
    for (const { word, isWeak } of wordsOf.get(term)!) {
      frequencies[word]! += to - from;
      runs.get(segmentId)!.push({ word, term, isWeak, isSpaced: words[word]!.isSpaced, from, to });
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
  flags: Int32Array,
  { words, chunks: servedChunks, chosen }: Pick<IndexSnapshot, 'words' | 'chunks' | 'chosen'>,
  best: TopChunks,
): void {
  if (scores.length < chunks)
    [scores, informationSums, conditions] = [
      new Float64Array(chunks),
      new Float64Array(chunks),
      new Int32Array(chunks),
    ];
  const { slots, frequencies } = postings;
  const [score, information] = [scores, informationSums];
  score.fill(0, 0, chunks);
  information.fill(0, 0, chunks);
  const wanted = flags.reduce((all, flag) => all | (flag === EXCLUDED ? 0 : flag), 0);
  const hasConditions = flags.some((flag) => flag > 0);
  if (hasConditions) conditions.fill(0, 0, chunks);
  for (const { word, isWeak, isSpaced, from, to } of runs) {
    const strength = isWeak ? WEAK_MATCH : 1;
    const { k1, b } = isSpaced ? SPACED : UNSPACED;
    const base = k1 * (1 - b);
    const perWord = (k1 * b) / (words / servedChunks);
    const maxScore = strength * weights.score[word]! * (k1 + 1);
    const wordInformation = strength * weights.information[word]!;
    if (flags[word]! > 0) for (let i = from; i < to; i++) conditions[slots[i]!]! |= flags[word]!;
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
      if ((!hasConditions || conditions[slot] === wanted) && isChosen(numbers[slot]!, chosen))
        best.offer(numbers[slot]!, value);
  }
}

const isChosen = (number: number, chosen: readonly ChunkRange[] | null) =>
  chosen === null || findRange(number, chosen) !== undefined;
