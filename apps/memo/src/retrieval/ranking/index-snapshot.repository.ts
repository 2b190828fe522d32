import { type Executor } from '@inference/database';
import { type QueryWord } from '../analysis/query-analysis';
import { type ChunkRange } from '../index/chunk-range';
import { findInBlock } from '../index/postings/posting-blocks';
import { termId } from '../index/term-id';
import { type ChosenDocuments } from '../search/document-conditions.repository';

/**
 * A query word in a larger share of the passages is ignored, unless all words are that common. Half ignores words that
 * still distinguish passages; twice reads the longest postings for words that distinguish none.
 */
const COMMON_CHARACTER_SHARE = 0.3;
const COMMON_WORD_SHARE = 0.5;
/** A word that was not asked for must be rare to say anything about the subject. Its long postings would also take the most time. */
const COMMON_FEEDBACK_SHARE = 0.1;
/** With fewer passages the share of a word says little, because a word may be common in them by chance. */
const MIN_CHUNKS_FOR_COMMON_WORDS = 1_000;

/** The packed postings of a term in a segment (PostingBlockPacker). */
interface PostingList {
  segmentId: number;
  term: string;
  packed: Buffer;
}

/** The data of an index that a query needs, at one moment. */
export interface IndexSnapshot {
  /** Number of served chunks, and the words in them. */
  chunks: number;
  words: number;
  segmentIds: number[];
  retired: ChunkRange[];
  lists: PostingList[];
  /** The chunks that are ranked, ascending; null if all are. */
  chosen: ChunkRange[] | null;
  /** Terms whose postings were not read. */
  commonTerms: Set<string>;
}

/** What was read, for the terms of which words, and whether with the postings of common ones. */
export interface ReadSnapshot extends IndexSnapshot {
  terms: ReadonlySet<string>;
  withCommon: boolean;
}

/** Whether a word occurs in too many chunks to distinguish them. */
export function isCommon(word: QueryWord, frequency: number, chunks: number): boolean {
  const share = commonShareOf(word);
  if (share !== null) return frequency > chunks * share;
  return chunks >= MIN_CHUNKS_FOR_COMMON_WORDS && frequency > chunks * COMMON_WORD_SHARE;
}

/** The share of the passages in which a word is common; null: COMMON_WORD_SHARE, in a large workspace. */
function commonShareOf({ isFeedback, isCharacter }: QueryWord): number | null {
  if (isFeedback) return COMMON_FEEDBACK_SHARE;
  return isCharacter ? COMMON_CHARACTER_SHARE : null;
}

/**
 * One statement, so all data is of one moment, despite concurrent merges. Postings of terms that are certainly too
 * common are not read. `OFFSET 0` keeps the planner from scanning the terms in segments of all workspaces. Base64,
 * because the driver receives binary values as hexadecimal text.
 */
const READ = `
    WITH segment AS MATERIALIZED (SELECT id, chunks, words FROM memo.segments WHERE workspace_id = $1),
    retired AS MATERIALIZED (SELECT * FROM memo.retired_chunks WHERE workspace_id = $1),
    total AS (
      SELECT s.chunks - r.chunks AS chunks, r.chunks AS retired
      FROM (SELECT coalesce(sum(chunks), 0) AS chunks FROM segment) s,
        (SELECT coalesce(sum(chunks), 0) AS chunks FROM retired) r),
    posting AS MATERIALIZED (
      SELECT s.id, asked.place, p.chunks, p.data, p.block
      FROM segment s CROSS JOIN unnest($2::bigint[]) WITH ORDINALITY AS asked(term, place) CROSS JOIN LATERAL (
        SELECT * FROM memo.postings x WHERE x.segment_id = s.id AND x.term <= asked.term
        ORDER BY x.term DESC LIMIT 1) p
      WHERE CASE WHEN p.block IS NULL THEN p.term = asked.term ELSE p.chunks = 0 OR p.term = asked.term - 1 END),
    term AS (
      SELECT p.place, sum(p.chunks) AS chunks FROM posting p GROUP BY p.place),
    wanted AS (
      SELECT t.place, $3 AND (t.chunks - total.retired)::float8 > total.chunks * coalesce(($4::float8[])[t.place], CASE
        WHEN total.chunks >= ${MIN_CHUNKS_FOR_COMMON_WORDS} THEN ${COMMON_WORD_SHARE}::float8 ELSE 1 END) AS is_common
      FROM term t, total)
    SELECT 'segment', id::float8, chunks, words::float8, NULL FROM segment
    UNION ALL SELECT 'retired', first_chunk::float8, range_length, NULL, chunks || ' ' || words FROM retired
    UNION ALL SELECT CASE WHEN p.block IS NULL THEN 'list' ELSE 'block' END, p.id::float8, w.place::integer, NULL,
      CASE WHEN NOT is_common THEN encode(coalesce(p.block, p.data), 'base64') END
      FROM posting p JOIN wanted w USING (place)`;
const READ_ALL = { name: 'search-snapshot', rowMode: 'array', text: READ } as const;

/** Adds the served chunks of some documents. Consecutive chunks are one range. */
const readChosen = (condition: string) =>
  ({
    rowMode: 'array',
    text: `${READ}
    UNION ALL SELECT 'chosen', lower(numbers)::float8, (upper(numbers) - lower(numbers))::integer, NULL, NULL
      FROM unnest((
        SELECT range_agg(int8range(v.first_chunk, v.first_chunk + v.chunk_count))
        FROM memo.documents d JOIN memo.document_versions v ON v.document_id = d.id AND v.version = d.serving_version
        WHERE d.workspace_id = $1 AND ${condition})) AS numbers`,
  }) as const;

type Row = [
  kind: 'segment' | 'retired' | 'list' | 'block' | 'chosen',
  id: number,
  count: number,
  words: number,
  data: string | null,
];

/**
 * @param withCommon whether postings of common terms are read too
 * @param chosen the documents that are ranked; null for all. The figures of words are those of the whole workspace.
 * @param earlier of the same search. Its postings are not read again if the index still has the same segments, which are immutable.
 */
export async function readSnapshot(
  executor: Executor,
  workspaceId: string,
  words: readonly QueryWord[],
  withCommon: boolean,
  chosen: ChosenDocuments | null,
  earlier?: ReadSnapshot,
): Promise<ReadSnapshot> {
  const wordsByTerm = wordsOfTerms(words);
  const known = earlier?.withCommon === withCommon ? earlier : undefined;
  const unread = new Map([...wordsByTerm].filter(([term]) => !known?.terms.has(term)));
  const read = await readPostings(executor, workspaceId, unread, withCommon, chosen);
  const terms = new Set(wordsByTerm.keys());
  if (!known) return { ...read, terms, withCommon };
  const haveSameSegments =
    read.segmentIds.length === known.segmentIds.length &&
    read.segmentIds.every((id) => known.segmentIds.includes(id));
  if (!haveSameSegments) return readSnapshot(executor, workspaceId, words, withCommon, chosen);
  const lists = [...known.lists.filter(({ term }) => terms.has(term)), ...read.lists];
  const commonTerms = new Set([...known.commonTerms, ...read.commonTerms]);
  return { ...read, lists, commonTerms, terms, withCommon };
}

/** The words of a query decide on their terms, also if feedback has brought them as well. */
function wordsOfTerms(words: readonly QueryWord[]): Map<string, QueryWord> {
  const inOrder = [...words].sort((one, other) => Number(other.isFeedback) - Number(one.isFeedback));
  return new Map(
    inOrder.flatMap((word) =>
      [...word.terms, ...word.weakTerms].map((term): [string, QueryWord] => [term, word]),
    ),
  );
}

async function readPostings(
  executor: Executor,
  workspaceId: string,
  wordsByTerm: ReadonlyMap<string, QueryWord>,
  withCommon: boolean,
  chosen: ChosenDocuments | null,
): Promise<IndexSnapshot> {
  const terms = [...wordsByTerm.keys()];
  const ids = terms.map(termId);
  const commonShares = Array.from(wordsByTerm.values(), commonShareOf);
  const values = [workspaceId, ids.map(String), !withCommon, commonShares];
  const { rows } = await executor.query<Row>(
    chosen
      ? { ...readChosen(chosen.sql(values.length)), values: [...values, ...chosen.values] }
      : { ...READ_ALL, values },
  );
  const snapshot: IndexSnapshot = {
    chunks: 0,
    words: 0,
    segmentIds: [],
    retired: [],
    lists: [],
    chosen: chosen && [],
    commonTerms: new Set(),
  };
  for (const [kind, id, count, wordCount, data] of rows) {
    if (kind === 'segment') {
      snapshot.segmentIds.push(id);
      snapshot.chunks += count;
      snapshot.words += wordCount;
    } else if (kind === 'retired') {
      const [chunks, retiredWords] = data!.split(' ').map(Number);
      snapshot.retired.push({ first: id, length: count });
      snapshot.chunks -= chunks!;
      snapshot.words -= retiredWords!;
    } else if (kind === 'chosen') snapshot.chosen?.push({ first: id, length: count });
    else if (data === null) snapshot.commonTerms.add(terms[count - 1]!);
    else {
      const stored = Buffer.from(data, 'base64');
      const packed = kind === 'block' ? findInBlock(stored, ids[count - 1]!) : stored;
      if (packed) snapshot.lists.push({ segmentId: id, term: terms[count - 1]!, packed });
    }
  }
  snapshot.chosen?.sort((one, other) => one.first - other.first);
  return snapshot;
}
