import { type Executor, type Transaction } from '@inference/database';
import { type PackedPostings } from '../segment';
import { type Posting } from './posting.entity';

/** Rows and bytes of one insert statement. */
const MAX_ROWS = 20_000;
const MAX_BYTES = 8 * 1_048_576;

const READ = {
  name: 'postings-copy',
  rowMode: 'array',
  text: `
    SELECT segment_id, term, data FROM memo.postings
    WHERE segment_id = ANY($1::bigint[]) AND term BETWEEN $2 AND $3 ORDER BY term, segment_id`,
} as const;
/**
 * All postings are one bytea value, because a list of values would be sent as text of twice the size. Nothing is
 * inserted if the segment was deleted meanwhile, together with its earlier postings.
 */
const INSERT = {
  name: 'postings-insert',
  text: `
    INSERT INTO memo.postings (segment_id, term, chunks, data)
    SELECT $1, u.term, u.chunks, substring($2::bytea FROM u.start_at FOR u.length)
    FROM unnest($3::bigint[], $4::integer[], $5::integer[], $6::integer[]) AS u(term, chunks, start_at, length)
    WHERE EXISTS (SELECT FROM memo.segments WHERE id = $1 FOR KEY SHARE)`,
};
/** Addresses rows by ctid: the planner has no statistics about new rows and would otherwise scan for each of them. */
const DELETE = `
  DELETE FROM memo.postings WHERE ctid = ANY (ARRAY(SELECT ctid FROM memo.postings WHERE segment_id = $1 LIMIT $2))`;

/** An array, because merges read very many of them. */
export type PostingRow = [Posting['segmentId'], Posting['term'], Posting['data']];

/** The postings of segments whose term ids are in a range, by term and segment. */
export async function readPostings(
  executor: Executor,
  segmentIds: bigint[],
  firstTerm: bigint,
  lastTerm: bigint,
): Promise<PostingRow[]> {
  return (await executor.query<PostingRow>({ ...READ, values: [segmentIds, firstTerm, lastTerm] })).rows;
}

export async function insertPostings(
  executor: Executor,
  segmentId: bigint,
  postings: PackedPostings,
): Promise<void> {
  const { terms, ends, chunks, bytes } = postings;
  for (let from = 0, to: number; from < terms.length; from = to) {
    const startsAt = from === 0 ? 0 : ends[from - 1]!;
    to = from + 1;
    while (to < terms.length && to - from < MAX_ROWS && ends[to]! - startsAt <= MAX_BYTES) to += 1;
    const starts = Int32Array.from({ length: to - from }, (_, i) =>
      i === 0 ? 0 : ends[from + i - 1]! - startsAt,
    );
    const values = [
      segmentId,
      bytes.subarray(startsAt, ends[to - 1]),
      Array.from(terms.subarray(from, to), String),
      Array.from(chunks.subarray(from, to)),
      Array.from(starts, (start) => start + 1),
      Array.from(starts, (start, i) => ends[from + i]! - startsAt - start),
    ];
    await executor.query({ ...INSERT, values });
  }
}

/** Deletes postings of a segment, at most `count`. Returns how many. */
export async function deletePostings(
  transaction: Transaction,
  segmentId: bigint,
  count: number,
): Promise<number> {
  return (await transaction.query(DELETE, [segmentId, count])).rowCount!;
}
