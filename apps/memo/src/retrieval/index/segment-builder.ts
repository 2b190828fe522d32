import { frequencyOf, MAX_TERM_FREQUENCY, postingOf } from './postings/postings';
import { PostingBlockPacker } from './postings/posting-blocks';
import { packLengths, packNumbers, type PackedPostings, type PackedSegment } from './segment';
import { compareTermIds } from './term-id';
import { TermTable } from './term-table';

/** Limits of a new segment. Twice doubles the memory of every worker; half doubles the number of merges. */
const MAX_CHUNKS = 8_192;
const MAX_POSTINGS = 4_000_000;
/** More than the terms of a segment. The high half of an id times this is a safe integer. */
const MAX_TERMS = 2 ** 22;

/** A growing array of integers. */
class NumberList {
  values = new Int32Array(4_096);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Int32Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }
}

/** Builds a segment from consecutive chunks. */
export class SegmentBuilder {
  private readonly lengths: number[] = [];
  private readonly languages = new Map<string, number>();
  private readonly terms = new TermTable();
  /** For each posting, the place of its term. */
  private readonly termPlaces = new NumberList();
  private readonly postings = new NumberList();
  /** Words of all chunks. */
  words = 0;

  get chunks(): number {
    return this.lengths.length;
  }

  /** When full, the segment is to be built, and the next chunk belongs to another one. */
  get isFull(): boolean {
    return this.chunks === MAX_CHUNKS || this.postings.length >= MAX_POSTINGS;
  }

  /** Adds the next chunk with its terms, including repetitions. */
  add(terms: readonly string[], language: string): void {
    const { postings, termPlaces } = this;
    const slot = this.lengths.length;
    const length = Math.min(terms.length, MAX_TERM_FREQUENCY);
    this.lengths.push(length);
    this.words += length;
    this.languages.set(language, (this.languages.get(language) ?? 0) + 1);
    const first = postings.length;
    for (const term of terms) {
      const entry = this.terms.entryOf(term);
      const last = this.terms.lastPosting(entry);
      if (last >= first) {
        if (frequencyOf(postings.values[last]!) < MAX_TERM_FREQUENCY) postings.values[last]! += 1;
      } else {
        this.terms.setLastPosting(entry, postings.length);
        termPlaces.push(this.terms.place(entry));
        postings.push(postingOf(slot, 1));
      }
    }
  }

  build(): { segment: PackedSegment; postings: PackedPostings } {
    const { chunks, words, lengths } = this;
    return {
      segment: {
        chunks,
        words,
        numbers: packNumbers(lengths.map((_length, slot) => slot)),
        lengths: packLengths(lengths),
        languages: Object.fromEntries(this.languages),
      },
      postings: this.packPostings(),
    };
  }

  private packPostings(): PackedPostings {
    const [starts, sorted] = this.sortByTerm();
    const ids = this.terms.ids();
    const packer = new PostingBlockPacker();
    for (const place of orderOf(ids))
      packer.add(ids[place * 2]!, ids[place * 2 + 1]!, sorted.subarray(starts[place], starts[place + 1]));
    return packer.take();
  }

  /** All postings grouped by term, and the start of each group. */
  private sortByTerm(): [starts: Int32Array, sorted: Int32Array] {
    const { size } = this.terms;
    const termPlaces = this.termPlaces.values.subarray(0, this.termPlaces.length);
    const postings = this.postings.values;
    const starts = new Int32Array(size + 1);
    for (let i = 0; i < termPlaces.length; i++) starts[termPlaces[i]! + 1]! += 1;
    for (let place = 0; place < size; place++) starts[place + 1]! += starts[place]!;
    const next = starts.slice();
    const sorted = new Int32Array(termPlaces.length);
    for (let i = 0; i < termPlaces.length; i++) sorted[next[termPlaces[i]!]!++] = postings[i]!;
    return [starts, sorted];
  }
}

/**
 * The indexes of ids in ascending order of the ids. One number holds the high half of an id and its index, because sorting
 * numbers is much faster than sorting with a comparison; what has equal high halves is sorted afterwards.
 */
function orderOf(ids: Int32Array): Int32Array {
  const keys = Float64Array.from(
    { length: ids.length / 2 },
    (_, place) => ids[place * 2]! * MAX_TERMS + place,
  ).sort();
  const order = Int32Array.from(keys, (key) => ((key % MAX_TERMS) + MAX_TERMS) % MAX_TERMS);
  for (let from = 0, to: number; from < order.length; from = to) {
    const high = ids[order[from]! * 2]!;
    for (to = from + 1; to < order.length && ids[order[to]! * 2] === high;) to += 1;
    if (to - from > 1)
      order
        .subarray(from, to)
        .sort((one, other) => compareTermIds(high, ids[one * 2 + 1]!, high, ids[other * 2 + 1]!));
  }
  return order;
}
