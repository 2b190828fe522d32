import { MOST_TIMES, PostingsPacker, postingOf, slotOf, timesOf } from './postings';
import { packLengths, packNumbers, type PackedPostings, type Segment } from './segment';
import { termId } from './term-id';

/** What a segment holds at most when it is made: it takes memory of which every process at work has its own. */
const MOST_CHUNKS = 8_192;
const MOST_POSTINGS = 4_000_000;

/** Numbers in the order in which they come. */
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

/** Makes a segment of chunks that follow one another. */
export class SegmentBuilder {
  private readonly lengths: number[] = [];
  private readonly languages = new Map<string, number>();
  /** Each term's place among them. */
  private readonly places = new Map<string, number>();
  /** Of each posting the term's place, and the posting itself. */
  private readonly owners = new NumberList();
  private readonly postings = new NumberList();
  private words = 0;

  get chunks(): number {
    return this.lengths.length;
  }

  /** Then this one is to be built, and the next chunk is another's. */
  get isFull(): boolean {
    return this.chunks === MOST_CHUNKS || this.postings.length >= MOST_POSTINGS;
  }

  /** The next chunk, by its terms, each as often as it stands there. */
  add(terms: readonly string[], language: string): void {
    const slot = this.lengths.length;
    const length = Math.min(terms.length, MOST_TIMES);
    this.lengths.push(length);
    this.words += length;
    this.languages.set(language, (this.languages.get(language) ?? 0) + 1);
    for (const [term, times] of countsOf(terms)) {
      let place = this.places.get(term);
      if (place === undefined) this.places.set(term, (place = this.places.size));
      this.owners.push(place);
      this.postings.push(postingOf(slot, times));
    }
  }

  build(): { segment: Segment; postings: PackedPostings } {
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
      // Two terms with one id, should that ever happen, are one.
      packer.add(id, lists.length === 1 ? lists[0]! : together(lists));
    }
    return packer.packed();
  }

  /** The postings of one term after the other's, and where each one's begin. */
  private sortByTerm(): [starts: Int32Array, sorted: Int32Array] {
    const { owners, postings, places } = this;
    const starts = new Int32Array(places.size + 1);
    for (let i = 0; i < owners.length; i++) starts[owners.at(i) + 1]! += 1;
    for (let place = 0; place < places.size; place++) starts[place + 1]! += starts[place]!;
    const next = starts.slice();
    const sorted = new Int32Array(postings.length);
    for (let i = 0; i < owners.length; i++) sorted[next[owners.at(i)]!++] = postings.at(i);
    return [starts, sorted];
  }
}

function countsOf(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** Postings of several terms as those of one. */
function together(lists: Int32Array[]): Int32Array {
  const times = new Map<number, number>();
  for (const posting of lists.flatMap((list) => [...list]))
    times.set(slotOf(posting), (times.get(slotOf(posting)) ?? 0) + timesOf(posting));
  return Int32Array.from(times, ([slot, count]) => postingOf(slot, count)).sort();
}
