export interface ScoredChunk {
  /** Chunk number in the workspace. */
  number: number;
  score: number;
}

/** Keeps the chunks with the highest scores; of equal scores the lower number. */
export class TopChunks {
  private readonly chunks: ScoredChunk[] = [];

  constructor(private readonly count: number) {}

  /** Chunks with lower scores need not be offered. */
  get minScore(): number {
    return this.chunks.length < this.count ? 0 : this.chunks.at(-1)!.score;
  }

  offer(number: number, score: number): void {
    const { chunks } = this;
    const chunk = { number, score };
    if (chunks.length === this.count) {
      if (compareChunks(chunk, chunks.at(-1)!) > 0) return;
      chunks.pop();
    }
    let at = chunks.length;
    while (at > 0 && compareChunks(chunk, chunks[at - 1]!) < 0) at -= 1;
    chunks.splice(at, 0, chunk);
  }

  sorted(): ScoredChunk[] {
    return this.chunks;
  }
}

/** Negative if the first chunk ranks higher. */
export const compareChunks = (one: ScoredChunk, other: ScoredChunk): number =>
  other.score - one.score || one.number - other.number;

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
