import { type Sql } from '@inference/database';
import { type QueryWord } from '../analysis/query';
import { type RetiredRange } from '../index/retired-range';
import { termId } from '../index/term-id';

/** What stands in more passages than this share of them is left out of a question, if it has anything else. */
const COMMON_CHARACTER = 0.3;
const COMMON_WORD = 0.5;
/** Of fewer passages the words that are common by chance cannot be told from those that always are. */
const ENOUGH_CHUNKS = 1_000;

/**
 * One statement, so one moment, whatever is merged and retired meanwhile. The lists of terms that are surely too common,
 * however many of their chunks are retired, are not read. `OFFSET 0` keeps the planner from walking the terms through the
 * segments of all workspaces. Base64, since the driver takes binary values as text of twice their length.
 */
const READ = {
  name: 'search-snapshot',
  rowMode: 'array',
  text: `
    WITH segment AS MATERIALIZED (SELECT id, chunks, words FROM memo.segments WHERE workspace_id = $1),
    retired AS MATERIALIZED (SELECT * FROM memo.retired_chunks WHERE workspace_id = $1),
    total AS (
      SELECT s.chunks - r.chunks AS chunks, r.chunks AS retired
      FROM (SELECT coalesce(sum(chunks), 0) AS chunks FROM segment) s,
        (SELECT coalesce(sum(chunks), 0) AS chunks FROM retired) r),
    posting AS MATERIALIZED (
      SELECT s.id, p.term, p.chunks, p.data FROM segment s CROSS JOIN LATERAL (
        SELECT * FROM memo.postings x WHERE x.segment_id = s.id AND x.term = ANY($2::bigint[]) OFFSET 0) p),
    term AS (
      SELECT p.term, array_position($2::bigint[], p.term) AS place, sum(p.chunks) AS chunks
      FROM posting p GROUP BY p.term),
    wanted AS (
      SELECT t.term, t.place, $3 AND (t.chunks - total.retired)::float8 > total.chunks * CASE
        WHEN ($4::boolean[])[t.place] THEN ${COMMON_CHARACTER}::float8
        WHEN total.chunks >= ${ENOUGH_CHUNKS} THEN ${COMMON_WORD}::float8 ELSE 1 END AS is_common
      FROM term t, total)
    SELECT 'segment', id::float8, chunks, words::float8, NULL FROM segment
    UNION ALL SELECT 'retired', first_chunk::float8, range_length, NULL, chunks || ' ' || words FROM retired
    UNION ALL SELECT 'posting', p.id::float8, w.place, NULL, CASE WHEN NOT is_common THEN encode(p.data, 'base64') END
      FROM posting p JOIN wanted w USING (term)`,
} as const;

type Row = [
  kind: 'segment' | 'retired' | 'posting',
  id: number,
  count: number,
  words: number,
  data: string | null,
];

/** Where a term stands in a segment, packed (PostingsPacker). */
export interface TermList {
  segmentId: number;
  term: string;
  packed: Buffer;
}

/** What is asked of a workspace's index, as it was at one moment. */
export interface Snapshot {
  /** Served ones, and the words in them. */
  chunks: number;
  words: number;
  segmentIds: number[];
  retired: RetiredRange[];
  lists: TermList[];
  /** Those whose lists were not read. */
  commonTerms: Set<string>;
}

/** @param withCommon whether the lists of common terms are read too */
export async function readSnapshot(
  sql: Sql,
  workspaceId: string,
  words: readonly QueryWord[],
  withCommon: boolean,
): Promise<Snapshot> {
  const asked = new Map(words.flatMap((word) => word.terms.map((term): [string, QueryWord] => [term, word])));
  const terms = [...asked.keys()];
  const ids = terms.map((term) => termId(term).toString());
  const areCharacters = Array.from(asked.values(), (word) => word.isCharacter);
  const { rows } = await sql.query<Row>({ ...READ, values: [workspaceId, ids, !withCommon, areCharacters] });
  const snapshot: Snapshot = {
    chunks: 0,
    words: 0,
    segmentIds: [],
    retired: [],
    lists: [],
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
    } else if (data === null) snapshot.commonTerms.add(terms[count - 1]!);
    else {
      const packed = Buffer.from(data, 'base64');
      snapshot.lists.push({ segmentId: id, term: terms[count - 1]!, packed });
    }
  }
  return snapshot;
}

/** Whether a word stands in too many of the chunks to tell any of them from the others. */
export function isCommon(word: QueryWord, frequency: number, chunks: number): boolean {
  if (word.isCharacter) return frequency > chunks * COMMON_CHARACTER;
  return chunks >= ENOUGH_CHUNKS && frequency > chunks * COMMON_WORD;
}
