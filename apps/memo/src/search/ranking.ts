import { type QueryWord } from '../analysis/query';
import { UnpackedPostings } from '../index/postings';
import { deadSlots } from '../index/retired-range';
import { type SegmentHead } from '../index/segment';
import { BestChunks, type ScoredChunk } from './best-chunks';
import { type Snapshot } from './snapshot';
import { type Worths, worthsOf } from './worth';

/** How soon more of the same word stops to count (BM25), and how much longer chunks lose. */
const K1 = 0.9;
const B = 0.4;

export interface Ranking {
  /** Best first; of two that are equal the older one. */
  best: ScoredChunk[];
  worths: Worths;
}

/** A stretch of the unpacked postings: those of one word in one segment, in one of its forms. */
interface Stretch {
  word: number;
  term: string;
  from: number;
  to: number;
}

/** Used by one search at a time, since none of them waits for anything in between. */
const postings = new UnpackedPostings();
let scores = new Float64Array(8_192);
let tellings = new Float64Array(8_192);

/** The best chunks by BM25; what is retired counts nowhere. */
export function rank(
  snapshot: Snapshot,
  heads: ReadonlyMap<number, SegmentHead>,
  words: readonly QueryWord[],
  count: number,
  withCommon: boolean,
): Ranking {
  const { stretches, frequencies } = unpack(snapshot, heads, words);
  const worths = worthsOf(words, frequencies, snapshot, withCommon);
  const best = new BestChunks(count);
  for (const [segmentId, ofSegment] of stretches) {
    // In one order everywhere, so that what is equal has equal sums.
    const used = ofSegment
      .filter(({ word }) => worths.score[word]! > 0)
      .sort((one, other) => one.word - other.word || (one.term < other.term ? -1 : 1));
    if (used.length > 0)
      scoreSegment(heads.get(segmentId)!, used, worths, snapshot.words / snapshot.chunks, best);
  }
  return { best: best.sorted(), worths };
}

function unpack(snapshot: Snapshot, heads: ReadonlyMap<number, SegmentHead>, words: readonly QueryWord[]) {
  const wordsOf = new Map<string, number[]>();
  words.forEach(({ terms }, place) => {
    for (const term of terms) wordsOf.set(term, [...(wordsOf.get(term) ?? []), place]);
  });
  const frequencies = new Float64Array(words.length);
  const stretches = new Map<number, Stretch[]>(snapshot.segmentIds.map((id) => [id, []]));
  const dead = new Map(snapshot.segmentIds.map((id) => [id, deadSlots(heads.get(id)!, snapshot.retired)]));
  postings.clear();
  for (const { segmentId, term, packed } of snapshot.lists) {
    const from = postings.length;
    postings.append(packed, dead.get(segmentId));
    const to = postings.length;
    for (const word of wordsOf.get(term)!) {
      frequencies[word]! += to - from;
      stretches.get(segmentId)!.push({ word, term, from, to });
    }
  }
  // Chunks that hold several forms of a word count as often.
  for (let place = 0; place < words.length; place++)
    frequencies[place] = Math.min(frequencies[place]!, snapshot.chunks);
  return { stretches, frequencies };
}

function scoreSegment(
  { chunks, numbers, lengths }: SegmentHead,
  stretches: Stretch[],
  worths: Worths,
  averageLength: number,
  best: BestChunks,
): void {
  if (scores.length < chunks) [scores, tellings] = [new Float64Array(chunks), new Float64Array(chunks)];
  const { slots, times } = postings;
  const [score, telling] = [scores, tellings];
  score.fill(0, 0, chunks);
  telling.fill(0, 0, chunks);
  const base = K1 * (1 - B);
  const perWord = (K1 * B) / averageLength;
  for (const { word, from, to } of stretches) {
    const most = worths.score[word]! * (K1 + 1);
    const said = worths.telling[word]!;
    for (let i = from; i < to; i++) {
      const slot = slots[i]!;
      const often = times[i]!;
      score[slot]! += (most * often) / (often + base + perWord * lengths[slot]!);
      telling[slot]! += said;
    }
  }
  for (let slot = 0; slot < chunks; slot++) {
    const value = score[slot]!;
    if (value > 0 && value >= best.least && telling[slot]! >= worths.leastTelling)
      best.offer(numbers[slot]!, value);
  }
}
