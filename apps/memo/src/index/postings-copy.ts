import { type Sql } from '@inference/database';
import { postingOf, PostingsPacker, UnpackedPostings } from './postings';
import { type Segment } from './segment';
import { insertPostings } from './segment-store';

/** Of the segment that is made; so many are in memory at a time. */
const WORDS_AT_A_TIME = 500_000;
const LEAST_TERM = -(2n ** 63n);
const TERMS = 2n ** 64n;

const READ = {
  name: 'postings-copy',
  rowMode: 'array',
  text: `
    SELECT segment_id, term, data FROM memo.postings
    WHERE segment_id = ANY($1::bigint[]) AND term BETWEEN $2 AND $3 ORDER BY term, segment_id`,
} as const;

type Row = [segmentId: bigint, term: bigint, data: Buffer];

/** A segment whose postings are copied. */
export interface SegmentSource {
  id: bigint;
  /** Where each of its slots is in the new one; -1 for what is left out. */
  slots: Int32Array;
}

/** Writes the postings of a segment that is made of others. Terms are spread evenly, so a part of them is a part of all. */
export async function copyPostings(
  sql: Sql,
  sources: SegmentSource[],
  { id, segment }: { id: bigint; segment: Segment },
  signal: AbortSignal,
): Promise<void> {
  const parts = BigInt(Math.ceil(segment.words / WORDS_AT_A_TIME) || 1);
  const slotsOf = new Map(sources.map((source) => [source.id, source.slots]));
  for (let part = 0n; part < parts; part++) {
    signal.throwIfAborted();
    const first = LEAST_TERM + (TERMS * part) / parts;
    const last = LEAST_TERM + (TERMS * (part + 1n)) / parts - 1n;
    const { rows } = await sql.query<Row>({ ...READ, values: [[...slotsOf.keys()], first, last] });
    await insertPostings(sql, id, packed(rows, slotsOf));
  }
}

function packed(rows: Row[], slotsOf: ReadonlyMap<bigint, Int32Array>) {
  const packer = new PostingsPacker();
  const unpacked = new UnpackedPostings();
  for (let from = 0, to = 0; from < rows.length; from = to) {
    const term = rows[from]![1];
    const postings: number[] = [];
    for (; to < rows.length && rows[to]![1] === term; to++) {
      const [segmentId, , data] = rows[to]!;
      const slots = slotsOf.get(segmentId)!;
      unpacked.clear();
      unpacked.append(data);
      for (let i = 0; i < unpacked.length; i++) {
        const slot = slots[unpacked.slots[i]!]!;
        if (slot >= 0) postings.push(postingOf(slot, unpacked.times[i]!));
      }
    }
    if (postings.length > 0) packer.add(term, Float64Array.from(postings).sort());
  }
  return packer.packed();
}
