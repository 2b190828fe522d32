import { type Sql } from '@inference/database';
import { type PackedPostings, type Segment } from './segment';

/** Rows and bytes of one insert statement. */
const MAX_ROWS = 20_000;
const MAX_BYTES = 8 * 1_048_576;

const INSERT_SEGMENT = `
  INSERT INTO memo.segments
    (workspace_id, document_id, version, first_chunk, numbers, chunks, words, lengths, languages)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`;
/**
 * All postings are one bytea value, because a list of values would be sent as text of twice the size. Nothing is
 * inserted if the segment was deleted meanwhile, together with its earlier postings.
 */
const INSERT_POSTINGS = {
  name: 'postings-insert',
  text: `
    INSERT INTO memo.postings (segment_id, term, chunks, data)
    SELECT $1, u.term, u.chunks, substring($2::bytea FROM u.start_at FOR u.length)
    FROM unnest($3::bigint[], $4::integer[], $5::integer[], $6::integer[]) AS u(term, chunks, start_at, length)
    WHERE EXISTS (SELECT FROM memo.segments WHERE id = $1 FOR KEY SHARE)`,
};

/** The owner of a segment: a version that is not published yet, or the workspace. */
export type SegmentOwner =
  { documentId: string; version: number } | { workspaceId: string; firstChunk: number };

export async function insertSegment(sql: Sql, place: SegmentOwner, segment: Segment): Promise<bigint> {
  const { numbers, chunks, words, lengths, languages } = segment;
  const belongsTo =
    'workspaceId' in place
      ? [place.workspaceId, null, null, place.firstChunk]
      : [null, place.documentId, place.version, null];
  const { rows } = await sql.query<{ id: bigint }>(INSERT_SEGMENT, [
    ...belongsTo,
    ...[bufferOf(numbers), chunks, words, bufferOf(lengths), JSON.stringify(languages)],
  ]);
  return rows[0]!.id;
}

export async function insertPostings(sql: Sql, segmentId: bigint, postings: PackedPostings): Promise<void> {
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
      bufferOf(bytes.subarray(startsAt, ends[to - 1])),
      Array.from(terms.subarray(from, to), String),
      Array.from(chunks.subarray(from, to)),
      Array.from(starts, (start) => start + 1),
      Array.from(starts, (start, i) => ends[from + i]! - startsAt - start),
    ];
    await sql.query({ ...INSERT_POSTINGS, values });
  }
}

const bufferOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
