import { compareChunks, type ScoredChunk } from './top-chunks';

/**
 * The constant of reciprocal rank fusion. Specified: 60 in the original publication (ADR 17). A smaller value favours
 * the first ranks.
 */
const RANK_CONSTANT = 60;

/**
 * Fuses rankings by the ranks of the chunks; scores need not be comparable. @param rankings chunk numbers, best first
 */
export function fuseRankings(...rankings: number[][]): ScoredChunk[] {
  const scores = new Map<number, number>();
  for (const ranking of rankings)
    ranking.forEach((number, place) =>
      scores.set(number, (scores.get(number) ?? 0) + 1 / (RANK_CONSTANT + place + 1)),
    );
  return Array.from(scores, ([number, score]) => ({ number, score })).sort(compareChunks);
}
