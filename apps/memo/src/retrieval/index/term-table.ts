import { hashTerm, termHash } from './term-id';

const INITIAL_CAPACITY = 4_096;
const FIELDS = 4;
const HIGH = 0;
const LOW = 1;
const PLACE = 2;
const LAST_POSTING = 3;
const NONE = -1;

/**
 * The terms of a segment by their ids, with the index of the last posting of each. A hash table with open addressing: an entry
 * is in one cache line, whereas a Map of strings follows several pointers for each of millions of lookups.
 */
export class TermTable {
  /** Number of terms. */
  size = 0;
  private capacity = INITIAL_CAPACITY;
  private entries = emptyEntries(INITIAL_CAPACITY);

  /** The entry of a term, which is added if it is new. Valid until the next call. */
  entryOf(term: string): number {
    hashTerm(term);
    const { high, low } = termHash;
    const entry = this.find(high, low);
    if (this.entries[entry + PLACE] !== NONE) return entry;
    this.entries[entry + HIGH] = high;
    this.entries[entry + LOW] = low;
    this.entries[entry + PLACE] = this.size++;
    if (this.size * 2 <= this.capacity) return entry;
    this.grow();
    return this.find(high, low);
  }

  /** The number of the term in order of appearance. */
  place(entry: number): number {
    return this.entries[entry + PLACE]!;
  }

  /** Negative for a new term. */
  lastPosting(entry: number): number {
    return this.entries[entry + LAST_POSTING]!;
  }

  setLastPosting(entry: number, posting: number): void {
    this.entries[entry + LAST_POSTING] = posting;
  }

  /** The halves of the ids of all terms by place. */
  ids(): Int32Array {
    const { entries } = this;
    const ids = new Int32Array(this.size * 2);
    for (let entry = 0; entry < entries.length; entry += FIELDS) {
      const place = entries[entry + PLACE]!;
      if (place === NONE) continue;
      ids[place * 2] = entries[entry + HIGH]!;
      ids[place * 2 + 1] = entries[entry + LOW]!;
    }
    return ids;
  }

  /** The entry of a term, or the empty entry where it belongs. */
  private find(high: number, low: number): number {
    const { entries } = this;
    const mask = this.capacity - 1;
    for (let index = low & mask; ; index = (index + 1) & mask) {
      const entry = index * FIELDS;
      if (entries[entry + PLACE] === NONE) return entry;
      if (entries[entry + LOW] === low && entries[entry + HIGH] === high) return entry;
    }
  }

  private grow(): void {
    const old = this.entries;
    this.capacity *= 2;
    this.entries = emptyEntries(this.capacity);
    for (let entry = 0; entry < old.length; entry += FIELDS)
      if (old[entry + PLACE] !== NONE)
        this.entries.set(
          old.subarray(entry, entry + FIELDS),
          this.find(old[entry + HIGH]!, old[entry + LOW]!),
        );
  }
}

const emptyEntries = (capacity: number) => new Int32Array(capacity * FIELDS).fill(NONE);
