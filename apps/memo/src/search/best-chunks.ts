export interface ScoredChunk {
  /** In the workspace. */
  number: number;
  score: number;
}

/** Keeps the best of what it is offered; of two that are equal the one with the lower number. */
export class BestChunks {
  private readonly chunks: ScoredChunk[] = [];

  constructor(private readonly count: number) {}

  /** What scores less need not be offered. */
  get least(): number {
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

/** Below 0 when the one is better. */
export const compareChunks = (one: ScoredChunk, other: ScoredChunk): number =>
  other.score - one.score || one.number - other.number;
