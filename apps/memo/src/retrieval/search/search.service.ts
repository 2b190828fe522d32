import { Inject, Injectable, NotFoundException } from '@nestjs/common';
import { Database } from '@inference/database';
import {
  type AnalyzedQuery,
  analyzeQuery,
  type ParsedQuery,
  parseQuery,
  type QueryWord,
  wordsOnly,
} from '../analysis/query-analysis';
import { isCorrectable } from '../analysis/terms';
import { type Member } from '../../access/member';
import { type QueryRelevance, queryRelevance } from '../ranking/query-relevance';
import { NearestChunks } from '../vectors/nearest-chunks';
import { fuseRankings, type ScoredChunk } from '../ranking/top-chunks';
import { chosenDocuments, type ChosenDocuments } from './document-conditions.repository';
import { type SearchOutcome, type SearchQuery, type Passage } from './passage';
import { findDocumentIds, readPassages, type StoredPassage } from './chunks.repository';
import { contextBoost, proximityBoost, type WordPositions, wordPositions } from '../ranking/position-boosts';
import { rank, type Ranking } from '../ranking/bm25-ranking';
import { feedbackWords } from '../ranking/feedback-words';
import { languagesOf, SegmentHeadCache, VocabularyCache } from '../ranking/workspace-caches';
import { readSnapshot, type ReadSnapshot } from '../ranking/index-snapshot.repository';

/**
 * How many of the best passages are compared by their texts. Each one is tokenized, which takes most of the time of a
 * search: twice as many nearly double it, and half leave relevant passages behind.
 */
const COMPARED_CANDIDATES = 30;
/** Additional candidates, because some may be deleted before their text is read. */
const SPARE_CANDIDATES = 10;
/** With conditions more candidates are compared, because texts decide whether they meet them. Twice doubles the time of such a search. */
const CONDITIONAL_CANDIDATES = 200;
/** After this many attempts a search returns the passages that still exist. */
const MAX_ATTEMPTS = 5;

type RankedIndex = Ranking & { snapshot: ReadSnapshot };

const hasConditions = ({ phrases, inTitle, excluded }: ParsedQuery): boolean =>
  phrases.length + inTitle.length + Object.values(excluded).flat().length > 0;

interface NumberedPassage {
  number: number;
  passage: Passage;
}

@Injectable()
export class SearchService {
  private readonly heads = new SegmentHeadCache();
  private readonly vocabularies = new VocabularyCache();

  constructor(
    private readonly database: Database,
    /** Null if vector search is off. */
    @Inject(NearestChunks) private readonly nearestChunks: NearestChunks | null = null,
  ) {}

  /**
   * The best `k` passages of the workspace for a query, among those that are served now. Throws 404 if the workspace has not
   * all of the chosen documents. A chosen document whose text is not read yet has no passages.
   * @param hasOperators whether quotes, minus and fields in the query are conditions
   */
  async find(
    member: Pick<Member, 'workspaceId' | 'accountId'>,
    { query, k, ...conditions }: SearchQuery,
    hasOperators = false,
  ): Promise<SearchOutcome> {
    const chosen = chosenDocuments(conditions);
    if (conditions.document_ids) await this.requireDocuments(member.workspaceId, conditions.document_ids);
    const parsed = hasOperators ? parseQuery(query) : wordsOnly(query);
    // Passages that are only near in meaning meet no condition.
    const pendingNearest = hasConditions(parsed)
      ? undefined
      : this.nearestChunks?.find(member, query, k, chosen);
    const { found, relevance } = await this.findByWords(member.workspaceId, parsed, k, chosen);
    const { chunks: nearest = [], requestId = null } = (await pendingNearest) ?? {};
    const best = nearest.length > 0 ? await this.fused(member.workspaceId, found, nearest, k) : found;
    const passages = best.slice(0, k).map(({ passage }) => passage);
    return { passages, relevance, requestIds: requestId === null ? [] : [requestId] };
  }

  private async requireDocuments(workspaceId: string, ids: readonly string[]): Promise<void> {
    const found = await findDocumentIds(this.database, workspaceId, ids);
    const missing = ids.find((id) => !found.has(id));
    if (missing !== undefined)
      throw new NotFoundException(`document_ids: the workspace has no document ${missing}`);
  }

  /** Returns more than `k` passages if there are more. */
  private async findByWords(
    workspaceId: string,
    query: ParsedQuery,
    k: number,
    chosen: ChosenDocuments | null,
  ): Promise<{ found: NumberedPassage[]; relevance: QueryRelevance }> {
    const languages = await languagesOf(this.database, workspaceId);
    let analyzed = analyzeQuery(query, languages);
    const wanted = Math.max(k, hasConditions(query) ? CONDITIONAL_CANDIDATES : COMPARED_CANDIDATES);
    let snapshot: ReadSnapshot | undefined;
    const ranked = async (further: QueryWord[] = []) => {
      const widened = { ...analyzed, words: [...analyzed.words, ...further] };
      const next = await this.rank(workspaceId, widened, wanted + SPARE_CANDIDATES, chosen, snapshot);
      snapshot = next.snapshot;
      return next;
    };
    let ranking = await ranked();
    const corrections = await this.correctionsOf(analyzed, ranking);
    if (corrections.size > 0) {
      analyzed = analyzeQuery(query, languages, corrections);
      ranking = await ranked();
    }
    let best = await this.readBest(workspaceId, ranking, wanted, ranked);
    const positionsOf = positionsIn(analyzed);
    let passages = passagesOf(best, analyzed, positionsOf);
    const further = feedbackWords(
      analyzed,
      passages.map(({ passage }) => passage),
      languages,
    );
    if (further.length > 0) {
      const widened = await ranked(further);
      best = await this.readBest(workspaceId, widened, wanted, () => ranked(further), best.stored);
      passages = keepFirst(passages[0]!, passagesOf(best, analyzed, positionsOf));
    }
    const found = passages.filter(({ passage }) => analyzed.admits(passage.title, passage.text));
    return { found, relevance: queryRelevance(analyzed, best.ranking.weights) };
  }

  /**
   * Reads the passages of a ranking. Ranks again if too many of them were deleted meanwhile: passages beyond them may be among the best.
   * @param known those that are read already
   */
  private async readBest(
    workspaceId: string,
    first: RankedIndex,
    wanted: number,
    rankAgain: () => Promise<RankedIndex>,
    known: ReadonlyMap<number, StoredPassage> = new Map(),
  ): Promise<{ ranking: RankedIndex; stored: Map<number, StoredPassage> }> {
    let ranking = first;
    for (let tries = 1; ; tries++) {
      const numbers = ranking.best.map(({ number }) => number);
      const unknown = numbers.filter((number) => !known.has(number));
      const stored = await readPassages(this.database, workspaceId, unknown);
      for (const number of numbers) if (known.has(number)) stored.set(number, known.get(number)!);
      const isShort = stored.size < wanted && ranking.best.length === wanted + SPARE_CANDIDATES;
      if (!isShort || tries === MAX_ATTEMPTS) return { ranking, stored };
      ranking = await rankAgain();
    }
  }

  /** Of words that occur nowhere. */
  private async correctionsOf(
    { words }: AnalyzedQuery,
    { frequencies, snapshot }: RankedIndex,
  ): Promise<Map<string, string[]>> {
    const unknown = words.filter(
      ({ text, isExcluded, isRequired }, place) =>
        !isExcluded && !isRequired && frequencies[place] === 0 && isCorrectable(text),
    );
    if (unknown.length === 0) return new Map();
    return this.vocabularies.correct(
      this.database,
      snapshot.segmentIds,
      unknown.map(({ text }) => text),
    );
  }

  private async fused(
    workspaceId: string,
    found: NumberedPassage[],
    nearest: ScoredChunk[],
    k: number,
  ): Promise<NumberedPassage[]> {
    const passages = new Map<number, StoredPassage>(found.map(({ number, passage }) => [number, passage]));
    const ranked = fuseRankings(
      found.map(({ number }) => number),
      nearest.map(({ number }) => number),
    ).slice(0, k + SPARE_CANDIDATES);
    const missing = ranked.map(({ number }) => number).filter((number) => !passages.has(number));
    for (const [number, passage] of await readPassages(this.database, workspaceId, missing))
      passages.set(number, passage);
    return ranked.flatMap(({ number, score }) => {
      const passage = passages.get(number);
      return passage ? [{ number, passage: { ...passage, score } }] : [];
    });
  }

  /**
   * Repeats if a segment was merged away between the two statements that read it, and with common words if all words of
   * the query that were found are common.
   */
  private async rank(
    workspaceId: string,
    query: AnalyzedQuery,
    count: number,
    chosen: ChosenDocuments | null,
    earlier?: ReadSnapshot,
  ): Promise<RankedIndex> {
    const { words } = query;
    // A condition on a common word needs its postings.
    for (let withCommon = query.hasConditions; ;) {
      const snapshot = await readSnapshot(this.database, workspaceId, words, withCommon, chosen, earlier);
      const heads = await this.heads.find(this.database, snapshot.segmentIds);
      if (!heads) continue;
      const ranking = rank(snapshot, heads, words, count, withCommon);
      if (withCommon || !ranking.weights.areAllCommon) return { ...ranking, snapshot };
      withCommon = true;
    }
  }
}

/** Puts the passage that was first without feedback in front: words that were not asked for decide on the others only. */
function keepFirst({ number }: NumberedPassage, passages: NumberedPassage[]): NumberedPassage[] {
  const first = passages.find((passage) => passage.number === number);
  if (!first) return passages;
  const score = passages[0]!.passage.score;
  const others = passages.filter((passage) => passage !== first);
  return [{ number, passage: { ...first.passage, score } }, ...others];
}

/** Where the words of a query are in passages. A text is tokenized if it matters, and once, also if it is ranked again. */
function positionsIn(query: AnalyzedQuery): (numbered: NumberedPassage) => WordPositions {
  const known = new Map<number, WordPositions>();
  return ({ number, passage: { title, text } }) => {
    const positions = known.get(number) ?? wordPositions(`${title}\n${text}`, query);
    known.set(number, positions);
    return positions;
  };
}

/** Returns what the text of a passage, and those beside it, add to its score. @param served best first */
function textGains(
  served: NumberedPassage[],
  query: AnalyzedQuery,
  weights: Float64Array,
  positionsOf: (numbered: NumberedPassage) => WordPositions,
): (numbered: NumberedPassage) => number {
  const compared = new Map(
    served.slice(0, COMPARED_CANDIDATES).map((numbered) => [placeOf(numbered.passage), numbered]),
  );
  return (numbered) => {
    const { passage } = numbered;
    if (!compared.has(placeOf(passage))) return 0;
    const neighbours = [-1, 1].flatMap((distance) => compared.get(placeOf(passage, distance)) ?? []);
    let gain = 0;
    if (query.adjacentWords.length > 0) gain += proximityBoost(positionsOf(numbered), query, weights);
    if (neighbours.length > 0)
      gain += contextBoost(positionsOf(numbered), neighbours.map(positionsOf), weights);
    return gain;
  };
}

/** Identifies a passage, or the one at a distance from it in the same text. */
const placeOf = ({ documentId, chunkIndex }: StoredPassage, distance = 0) =>
  `${documentId} ${chunkIndex + distance}`;

function passagesOf(
  { ranking: { best, weights }, stored }: { ranking: Ranking; stored: ReadonlyMap<number, StoredPassage> },
  query: AnalyzedQuery,
  positionsOf: (numbered: NumberedPassage) => WordPositions,
): NumberedPassage[] {
  const served = best.flatMap(({ number, score }): NumberedPassage[] => {
    const passage = stored.get(number);
    return passage ? [{ number, passage: { ...passage, score } }] : [];
  });
  const gainOf = textGains(served, query, weights.score, positionsOf);
  return served
    .map((numbered) => {
      const { number, passage } = numbered;
      return { number, passage: { ...passage, score: passage.score + gainOf(numbered) } };
    })
    .sort((one, other) => other.passage.score - one.passage.score || one.number - other.number);
}
