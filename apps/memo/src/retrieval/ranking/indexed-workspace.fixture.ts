import { type TestPool } from '@inference/testing';
import { newId } from '@inference/database';
import { type QueryWord } from '../analysis/query-analysis';
import { indexTermsOf, termsOf } from '../analysis/terms';
import { mergeSegments } from '../index/segment-merge';
import { SegmentBuilder } from '../index/segment-builder';
import { insertPostings } from '../index/storage/postings.repository';
import { retireVersion } from '../index/storage/retired-chunks.repository';
import { insertSegment } from '../index/storage/segments.repository';
import { rank, type Ranking } from './bm25-ranking';
import { SegmentHeadCache } from './workspace-caches';
import { readSnapshot } from './index-snapshot.repository';

const LANGUAGE = 'en';
const FORMER_ANALYSIS = 1;

export interface IndexedDocument {
  id: string;
  /** Terms of its chunks by chunk number. */
  chunks: Map<number, string[]>;
}

/** A workspace whose documents are indexed directly, without files. */
export class IndexedWorkspace {
  readonly documents: IndexedDocument[] = [];
  private next = 0;
  private readonly heads = new SegmentHeadCache();

  private constructor(
    private readonly pool: TestPool,
    readonly id: string,
    private readonly accountId: string,
  ) {}

  static async create(pool: TestPool, accountId: string): Promise<IndexedWorkspace> {
    const id = newId('ws');
    await pool.query("INSERT INTO memo.workspaces (id, name, created_by) VALUES ($1, 'Index', $2)", [
      id,
      accountId,
    ]);
    return new IndexedWorkspace(pool, id, accountId);
  }

  /** An existing, empty workspace. */
  static of(pool: TestPool, id: string, accountId: string): IndexedWorkspace {
    return new IndexedWorkspace(pool, id, accountId);
  }

  /**
   * @param sizes number of texts in each segment; one segment by default
   * @param isFormer whether the segments are those of the former analysis
   */
  async add(texts: string[], sizes = [texts.length], isFormer = false): Promise<IndexedDocument> {
    const id = newId('doc');
    const first = this.next;
    this.next += texts.length;
    const terms = texts.map((text) => termsOf(text, LANGUAGE));
    const words = terms.reduce((sum, { length }) => sum + length, 0);
    await this.pool.transaction(async (sql) => {
      await sql.query(
        `INSERT INTO memo.documents (id, workspace_id, version, serving_version, created_by) VALUES ($1, $2, 1, 1, $3)`,
        [id, this.id, this.accountId],
      );
      await sql.query(
        `INSERT INTO memo.document_versions (document_id, version, workspace_id, title, metadata, media_type, bytes, sha256,
           uploaded_by, status, first_chunk, chunk_count, words)
         VALUES ($1, 1, $2, '', '{}', 'text/plain', 0, '', $3, 'ready', $4, $5, $6)`,
        [id, this.id, this.accountId, first, texts.length, words],
      );
      await sql.query(
        `INSERT INTO memo.chunks (document_id, version, n, start_at, lead, text)
         SELECT $1, 1, n - 1, 0, '', text FROM unnest($2::text[]) WITH ORDINALITY AS u(text, n)`,
        [id, texts],
      );
      // Last segment first, because segments are written before the publication order is known.
      let to = texts.length;
      for (const size of sizes.toReversed()) {
        const from = to - size;
        const builder = new SegmentBuilder();
        for (const text of texts.slice(from, to)) {
          const { terms, ...more } = indexTermsOf(text, LANGUAGE);
          builder.add({ terms, ...(isFormer ? { further: [], words: [] } : more), language: LANGUAGE });
        }
        const { segment, postings } = builder.build();
        const place = { workspaceId: this.id, firstChunk: first + from };
        const stored = isFormer ? { ...segment, analysis: FORMER_ANALYSIS } : segment;
        await insertPostings(sql, await insertSegment(sql, place, stored), postings);
        to = from;
      }
    });
    const document = { id, chunks: new Map(terms.map((ofChunk, n) => [first + n, ofChunk])) };
    this.documents.push(document);
    return document;
  }

  async retire(document: IndexedDocument): Promise<void> {
    await this.pool.transaction(async (sql) => {
      await retireVersion(sql, document.id, 1);
      await sql.query('DELETE FROM memo.documents WHERE id = $1', [document.id]);
    });
    this.documents.splice(this.documents.indexOf(document), 1);
  }

  async merge(): Promise<void> {
    while (await this.mergeOnce());
  }

  mergeOnce(): Promise<boolean> {
    return mergeSegments(this.pool, this.id, new AbortController().signal);
  }

  /** Null if a merge happened between the two statements. */
  async rank(
    words: QueryWord[],
    count: number,
  ): Promise<(Ranking & { chunks: number; words: number }) | null> {
    for (const withCommon of [false, true]) {
      const snapshot = await readSnapshot(this.pool, this.id, words, withCommon, null);
      const heads = await this.heads.find(this.pool, snapshot.segmentIds);
      if (!heads) return null;
      const ranking = rank(snapshot, heads, words, count, withCommon);
      if (!ranking.weights.areAllCommon || withCommon)
        return { ...ranking, chunks: snapshot.chunks, words: snapshot.words };
    }
    return null;
  }

  async segments(): Promise<number[]> {
    const { rows } = await this.pool.query<{ chunks: number }>(
      'SELECT chunks FROM memo.segments WHERE workspace_id = $1 ORDER BY chunks',
      [this.id],
    );
    return rows.map(({ chunks }) => chunks);
  }

  /** Retired chunks that are still in segments. */
  async retired(): Promise<number[]> {
    const { rows } = await this.pool.query<{ chunks: number }>(
      'SELECT chunks FROM memo.retired_chunks WHERE workspace_id = $1 ORDER BY first_chunk',
      [this.id],
    );
    return rows.map(({ chunks }) => chunks);
  }
}

/** Ranks by a scan over all chunks. The index must give the same result. */
export function rankNaively(
  documents: IndexedDocument[],
  words: QueryWord[],
  count: number,
): { chunks: number; words: number; weights: number[]; best: { number: number; score: number }[] } {
  const all = documents.flatMap(({ chunks }) => [...chunks]).sort(([one], [other]) => one - other);
  const total = all.reduce((sum, [, terms]) => sum + terms.length, 0);
  const times = (terms: string[], term: string) => terms.filter((other) => other === term).length;
  const holders = (word: QueryWord) =>
    all.filter(([, terms]) => word.terms.some((term) => terms.includes(term))).length;
  const isCommon = (word: QueryWord) =>
    word.isCharacter
      ? holders(word) > 0.3 * all.length
      : all.length >= 1_000 && holders(word) > 0.5 * all.length;
  const rare = words.filter((word) => holders(word) > 0 && !isCommon(word));
  const rarities = (others: number) =>
    words.map((word) => {
      if (rare.length > 0 && isCommon(word)) return 0;
      return word.weight * Math.log(1 + (all.length + others - holders(word) + 0.5) / (holders(word) + 0.5));
    });
  const [weights, information] = [rarities(0), rarities(100)];
  const shares = words.map(({ isSpaced, hasFunctionCharacter: isFiller }) =>
    isSpaced ? 0.18 : isFiller ? 0 : 0.1,
  );
  const minInformation = information.reduce(
    (sum, passageInformation, i) => sum + passageInformation * shares[i]!,
    0,
  );
  const best = all.flatMap(([number, terms]) => {
    let score = 0;
    let passageInformation = 0;
    words.forEach((word, i) => {
      const frequency = word.terms.reduce((sum, term) => sum + times(terms, term), 0);
      if (frequency === 0) return;
      passageInformation += information[i]!;
      const [k1, b] = word.isSpaced ? [1.2, 0.5] : [0.9, 0.4];
      score +=
        (weights[i]! * (k1 + 1) * frequency) /
        (frequency + k1 * (1 - b + (b * terms.length) / (total / all.length)));
    });
    return score > 0 && passageInformation >= minInformation ? [{ number, score }] : [];
  });
  best.sort((one, other) => other.score - one.score || one.number - other.number);
  return { chunks: all.length, words: total, weights, best: best.slice(0, count) };
}
