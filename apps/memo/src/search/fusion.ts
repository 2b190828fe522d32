import { compareChunks, type ScoredChunk } from './best-chunks';

/** How much the first places count before the following ones (reciprocal rank fusion). */
const K = 60;

/** One ranking of several, by the places of chunks in each; their scores need not be comparable. @param rankings numbers of chunks */
export function fuse(...rankings: number[][]): ScoredChunk[] {
  const scores = new Map<number, number>();
  for (const ranking of rankings)
    ranking.forEach((number, place) => scores.set(number, (scores.get(number) ?? 0) + 1 / (K + place + 1)));
  return Array.from(scores, ([number, score]) => ({ number, score })).sort(compareChunks);
}
