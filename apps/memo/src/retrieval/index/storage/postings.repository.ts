import { type Executor, type Transaction } from '@inference/database';
import { type PackedPostings } from '../segment';
import { type Posting } from '../../../tables/segment.entity';

/** Rows and bytes of one insert statement. */
const MAX_ROWS = 20_000;
const MAX_BYTES = 8 * 1_048_576;

const READ = {
  name: 'postings-copy',
  rowMode: 'array',
  text: `
    SELECT term, data, block FROM memo.postings WHERE segment_id = $1 AND ($2::bigint IS NULL OR term > $2)
    ORDER BY term LIMIT $3`,
} as const;
/**
 * All blocks are one bytea value, because a list of values would be sent as text of twice the size. Nothing is
 * inserted if the segment was deleted meanwhile, together with its earlier postings.
 */
const INSERT = {
  name: 'postings-insert',
  text: `
    INSERT INTO memo.postings (segment_id, term, chunks, block)
    SELECT $1, u.key, u.chunks, substring($2::bytea FROM u.start_at FOR u.length)
    FROM unnest($3::bigint[], $4::integer[], $5::integer[], $6::integer[]) AS u(key, chunks, start_at, length)
    WHERE EXISTS (SELECT FROM memo.segments WHERE id = $1 FOR KEY SHARE)`,
};
/** Addresses rows by ctid: the planner has no statistics about new rows and would otherwise scan for each of them. */
const DELETE = `
  DELETE FROM memo.postings WHERE ctid = ANY (ARRAY(SELECT ctid FROM memo.postings WHERE segment_id = $1 LIMIT $2))`;

/** An array, because merges read very many of them. */
export type PostingRow = [key: Posting['term'], data: Posting['data'], block: Posting['block']];

/** Rows of a segment in the order of their keys. @param after only rows with greater keys; undefined for the first ones */
export async function readPostings(
  executor: Executor,
  segmentId: bigint,
  after: bigint | undefined,
  count: number,
): Promise<PostingRow[]> {
  return (await executor.query<PostingRow>({ ...READ, values: [segmentId, after ?? null, count] })).rows;
}

export async function insertPostings(
  executor: Executor,
  segmentId: bigint,
  postings: PackedPostings,
): Promise<void> {
  const { keys, ends, chunks, bytes } = postings;
  for (let from = 0, to: number; from < keys.length; from = to) {
    const startsAt = from === 0 ? 0 : ends[from - 1]!;
    to = from + 1;
    while (to < keys.length && to - from < MAX_ROWS && ends[to]! - startsAt <= MAX_BYTES) to += 1;
    const starts = Int32Array.from({ length: to - from }, (_, i) =>
      i === 0 ? 0 : ends[from + i - 1]! - startsAt,
    );
    const values = [
      segmentId,
      bytes.subarray(startsAt, ends[to - 1]),
      Array.from(keys.subarray(from, to), String),
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
