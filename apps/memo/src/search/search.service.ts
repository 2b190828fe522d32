import { Inject, Injectable } from '@nestjs/common';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { type AnalyzedQuery, analyzeQuery } from '../analysis/query';
import { type Member } from '../access/member';
import { type Asked } from '../answers/quotation';
import { NearChunks } from '../vectors/near-chunks';
import { askedBy } from './asked-words';
import { type ScoredChunk } from './best-chunks';
import { fuse } from './fusion';
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

interface NumberedPassage {
  number: number;
  passage: Passage;
}

@Injectable()
export class SearchService {
  private readonly heads = new SegmentHeads();

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    /** Null unless passages are looked for by what they mean, too. */
    @Inject(NearChunks) private readonly nearChunks: NearChunks | null = null,
  ) {}

  /** The passages of a workspace that say most on a question, at most `k`, by what is served at the moment. */
  async find(member: Pick<Member, 'workspaceId' | 'accountId'>, query: string, k: number): Promise<Found> {
    const nearby = this.nearChunks?.find(member, query, k);
    const { found, asked } = await this.findByWords(member.workspaceId, query, k);
    const near = (await nearby) ?? [];
    const best = near.length > 0 ? await this.fused(member.workspaceId, found, near, k) : found;
    return { passages: best.slice(0, k).map(({ passage }) => passage), asked };
  }

  /** More than `k`, if there are. */
  private async findByWords(
    workspaceId: string,
    query: string,
    k: number,
  ): Promise<{ found: NumberedPassage[]; asked: Asked }> {
    const analyzed = analyzeQuery(query, await languagesOf(this.pool, workspaceId));
    const wanted = Math.max(k, CLOSELY_COMPARED);
    for (let tries = 1; ; tries++) {
      const ranking = await this.rank(workspaceId, analyzed, wanted + SPARE);
      const numbers = ranking.best.map(({ number }) => number);
      const stored = await readPassages(this.pool, workspaceId, numbers);
      const isShort = stored.size < wanted && ranking.best.length === wanted + SPARE;
      // So many went meanwhile that others might have been found in their place.
      if (isShort && tries < MOST_TRIES) continue;
      const found = passagesOf(ranking, stored, analyzed);
      return { found, asked: askedBy(analyzed, ranking.worths) };
    }
  }

  private async fused(
    workspaceId: string,
    found: NumberedPassage[],
    near: ScoredChunk[],
    k: number,
  ): Promise<NumberedPassage[]> {
    const passages = new Map<number, StoredPassage>(found.map(({ number, passage }) => [number, passage]));
    const ranked = fuse(
      found.map(({ number }) => number),
      near.map(({ number }) => number),
    ).slice(0, k + SPARE);
    const missing = ranked.map(({ number }) => number).filter((number) => !passages.has(number));
    for (const [number, passage] of await readPassages(this.pool, workspaceId, missing))
      passages.set(number, passage);
    return ranked.flatMap(({ number, score }) => {
      const passage = passages.get(number);
      return passage ? [{ number, passage: { ...passage, score } }] : [];
    });
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
): NumberedPassage[] {
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
    .sort((one, other) => other.passage.score - one.passage.score || one.number - other.number);
}
