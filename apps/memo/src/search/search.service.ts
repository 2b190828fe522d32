import { Inject, Injectable } from '@nestjs/common';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { type AnalyzedQuery, analyzeQuery } from '../analysis/query';
import { type Member } from '../access/member';
import { askedBy } from './asked-words';
import { type ScoredChunk } from './best-chunks';
import { type Found, type Passage } from './passage';
import { readPassages, type StoredPassage } from './passage-store';
import { proximity } from './proximity';
import { rank, type Ranking } from './ranking';
import { SegmentHeads } from './segment-heads';
import { readSnapshot } from './snapshot';
import { languagesOf } from './workspace-languages';

/** So many are compared by how close the words of the question are in them. */
const CLOSELY_COMPARED = 30;
/** More than are asked for, since some may be gone when their text is read. */
const SPARE = 10;
const MOST_TRIES = 5;

@Injectable()
export class SearchService {
  private readonly heads = new SegmentHeads();

  constructor(@Inject(SQL_POOL) private readonly pool: SqlPool) {}

  /** The passages of a workspace that say most on a question, at most `k`, by what is served at the moment. */
  async find(
    { workspaceId }: Pick<Member, 'workspaceId' | 'accountId'>,
    query: string,
    k: number,
  ): Promise<Found> {
    const analyzed = analyzeQuery(query, await languagesOf(this.pool, workspaceId));
    const wanted = Math.max(k, CLOSELY_COMPARED);
    for (let tries = 1; ; tries++) {
      const ranking = await this.rank(workspaceId, analyzed, wanted + SPARE);
      const numbers = ranking.best.map(({ number }) => number);
      const stored = await readPassages(this.pool, workspaceId, numbers);
      const isShort = stored.size < wanted && ranking.best.length === wanted + SPARE;
      // So many went meanwhile that others might have been found in their place.
      if (isShort && tries < MOST_TRIES) continue;
      const passages = passagesOf(ranking, stored, analyzed).slice(0, k);
      return { passages, asked: askedBy(analyzed, ranking.worths.score) };
    }
  }

  /** Tries again when a segment was merged away between the two statements that read it. */
  private async rank(workspaceId: string, query: AnalyzedQuery, count: number): Promise<Ranking> {
    const { words } = query;
    for (let withCommon = false; ;) {
      const snapshot = await readSnapshot(this.pool, workspaceId, words, withCommon);
      const heads = await this.heads.find(this.pool, snapshot.segmentIds);
      if (!heads) continue;
      const ranking = rank(snapshot, heads, words, count, withCommon);
      if (!ranking.worths.areAllCommon) return ranking;
      withCommon = true;
    }
  }
}

function passagesOf(
  { best, worths }: Ranking,
  stored: Map<number, StoredPassage>,
  query: AnalyzedQuery,
): Passage[] {
  const living = best.flatMap((chunk): [ScoredChunk, StoredPassage][] => {
    const passage = stored.get(chunk.number);
    return passage ? [[chunk, passage]] : [];
  });
  return living
    .map(([{ number, score }, passage], place) => {
      const isCompared = place < CLOSELY_COMPARED;
      const gain = isCompared ? proximity(`${passage.title}\n${passage.text}`, query, worths.score) : 0;
      return { number, passage: { ...passage, score: score + gain } };
    })
    .sort((one, other) => other.passage.score - one.passage.score || one.number - other.number)
    .map(({ passage }) => passage);
}
