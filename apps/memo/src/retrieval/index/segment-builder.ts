import { MAX_TERM_FREQUENCY, PostingsPacker, postingOf, slotOf, frequencyOf } from './postings';
import { packLengths, packNumbers, type PackedPostings, type PackedSegment } from './segment';
import { termId } from './term-id';

/** Limits of a new segment. Twice doubles the memory of every worker; half doubles the number of merges. */
const MAX_CHUNKS = 8_192;
const MAX_POSTINGS = 4_000_000;

/** A growing array of integers. */
class NumberList {
  private values = new Int32Array(4_096);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Int32Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }

  at(index: number): number {
    return this.values[index]!;
  }
}

/** Builds a segment from consecutive chunks. */
export class SegmentBuilder {
  private readonly lengths: number[] = [];
  private readonly languages = new Map<string, number>();
  /** Index of each term in order of appearance. */
  private readonly places = new Map<string, number>();
  /** For each posting, the index of its term. */
  private readonly termPlaces = new NumberList();
  private readonly postings = new NumberList();
  private words = 0;

  get chunks(): number {
    return this.lengths.length;
  }

  /** When full, the segment is to be built, and the next chunk belongs to another one. */
  get isFull(): boolean {
    return this.chunks === MAX_CHUNKS || this.postings.length >= MAX_POSTINGS;
  }

  /** Adds the next chunk with its terms, including repetitions. */
  add(terms: readonly string[], language: string): void {
    const slot = this.lengths.length;
    const length = Math.min(terms.length, MAX_TERM_FREQUENCY);
    this.lengths.push(length);
    this.words += length;
    this.languages.set(language, (this.languages.get(language) ?? 0) + 1);
    for (const [term, times] of countsOf(terms)) {
      let place = this.places.get(term);
      if (place === undefined) this.places.set(term, (place = this.places.size));
      this.termPlaces.push(place);
      this.postings.push(postingOf(slot, times));
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
    const ids = BigInt64Array.from(this.places.keys(), termId);
    const order = Array.from(ids.keys()).sort((one, other) => (ids[one]! < ids[other]! ? -1 : 1));
    const packer = new PostingsPacker();
    for (let from = 0, to = 0; from < order.length; from = to) {
      const id = ids[order[from]!]!;
      while (to < order.length && ids[order[to]!] === id) to += 1;
      const lists = order.slice(from, to).map((place) => sorted.subarray(starts[place], starts[place + 1]));
      // Terms with the same id, which is unlikely, are treated as one.
      packer.add(id, lists.length === 1 ? lists[0]! : mergePostings(lists));
    }
    return packer.packed();
  }

  /** All postings grouped by term, and the start of each group. */
  private sortByTerm(): [starts: Int32Array, sorted: Int32Array] {
    const { termPlaces, postings, places } = this;
    const starts = new Int32Array(places.size + 1);
    for (let i = 0; i < termPlaces.length; i++) starts[termPlaces.at(i) + 1]! += 1;
    for (let place = 0; place < places.size; place++) starts[place + 1]! += starts[place]!;
    const next = starts.slice();
    const sorted = new Int32Array(postings.length);
    for (let i = 0; i < termPlaces.length; i++) sorted[next[termPlaces.at(i)]!++] = postings.at(i);
    return [starts, sorted];
  }
}

function countsOf(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** Merges the postings of several terms. */
function mergePostings(lists: Int32Array[]): Int32Array {
  const times = new Map<number, number>();
  for (const posting of lists.flatMap((list) => [...list]))
    times.set(slotOf(posting), (times.get(slotOf(posting)) ?? 0) + frequencyOf(posting));
  return Int32Array.from(times, ([slot, count]) => postingOf(slot, count)).sort();
}
