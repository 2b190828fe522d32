import { tokensOfRun } from '../../analysis/tokenizer';
import { compareTermIds, hashCharacter, hashPair, hashTerm, termHash } from '../term-id';
import { frequencyOf, MAX_TERM_FREQUENCY, postingOf } from './postings';

/** An entry is the high and the low half of the id of a term, and a posting. */
const FIELDS = 3;
const LOW = 1;
const POSTING = 2;
const INITIAL_CAPACITY = 4_096;
/** More than most chunks have terms. */
const INITIAL_TABLE_SIZE = 8_192;
const EMPTY = -1;
const SURROGATE = /[\ud800-\udfff]/;

/** Entries are sorted by 11 bits at a time, of high halves with their sign flipped: so unsigned order is that of the ids. */
const DIGIT_BITS = 11;
const DIGIT_MASK = 2 ** DIGIT_BITS - 1;
const SHIFTS = [0, DIGIT_BITS, DIGIT_BITS * 2];
const SIGN = 1 << 31;

/**
 * Collects the postings of consecutive chunks. The terms of a chunk are looked up among those of the same chunk only, in a table
 * that stays in the cache of the processor; a table of all terms of a segment does not. `sorted` brings the chunks of a term
 * together.
 */
export class CollectedPostings {
  length = 0;
  private entries = new Int32Array(INITIAL_CAPACITY * FIELDS);
  /** Entries of the current chunk by hash. Those of former chunks count as empty. */
  private table = new Int32Array(INITIAL_TABLE_SIZE).fill(EMPTY);
  /** The first entry of the current chunk. */
  private first = 0;
  private slot = 0;

  /** @param slot greater than those before */
  startChunk(slot: number): void {
    this.slot = slot;
    this.first = this.length;
  }

  /** Counts terms of the current chunk. */
  add(terms: readonly string[]): void {
    for (let i = 0; i < terms.length; i++) {
      hashTerm(terms[i]!);
      this.count(termHash.high, termHash.low);
    }
  }

  /** Counts the tokens of a run of Chinese or Japanese characters (tokensOfRun). Returns their number. */
  addRun(run: string): number {
    if (SURROGATE.test(run)) {
      const tokens = tokensOfRun(run);
      this.add(tokens);
      return tokens.length;
    }
    for (let i = 0; i < run.length; i++) {
      hashCharacter(run.charCodeAt(i));
      this.count(termHash.high, termHash.low);
      if (i + 1 === run.length) break;
      hashPair(run.charCodeAt(i), run.charCodeAt(i + 1));
      this.count(termHash.high, termHash.low);
    }
    return run.length * 2 - 1;
  }

  /** Calls `take` for each term in the order of the ids, with its postings in ascending order up to `count`. */
  forEachTerm(take: (high: number, low: number, postings: Int32Array, count: number) => void): void {
    const { length } = this;
    const entries = this.sorted();
    const end = length * FIELDS;
    let postings = new Int32Array(INITIAL_CAPACITY);
    for (let at = 0; at < end;) {
      const [high, low] = [entries[at]!, entries[at + LOW]!];
      let count = 0;
      for (; at < end && entries[at] === high && entries[at + LOW] === low; at += FIELDS) {
        if (count === postings.length) postings = enlarged(postings);
        postings[count++] = entries[at + POSTING]!;
      }
      take(high, low, postings, count);
    }
  }

  private count(high: number, low: number): void {
    const { table, first, entries } = this;
    const mask = table.length - 1;
    let index = low & mask;
    for (; table[index]! >= first; index = (index + 1) & mask) {
      const at = table[index]! * FIELDS;
      if (entries[at + LOW] !== low || entries[at] !== high) continue;
      if (frequencyOf(entries[at + POSTING]!) < MAX_TERM_FREQUENCY) entries[at + POSTING]! += 1;
      return;
    }
    const at = this.length * FIELDS;
    table[index] = this.length++;
    entries[at] = high;
    entries[at + LOW] = low;
    entries[at + POSTING] = postingOf(this.slot, 1);
    if (at + FIELDS === entries.length) this.entries = enlarged(entries);
    if ((this.length - first) * 2 > table.length) this.enlargeTable();
  }

  private enlargeTable(): void {
    const mask = this.table.length * 2 - 1;
    const table = new Int32Array(mask + 1).fill(EMPTY);
    for (let entry = this.first; entry < this.length; entry++) {
      let index = this.entries[entry * FIELDS + LOW]! & mask;
      while (table[index] !== EMPTY) index = (index + 1) & mask;
      table[index] = entry;
    }
    this.table = table;
  }

  /** The entries by the ids of their terms, then by slots. */
  private sorted(): Int32Array {
    const end = this.length * FIELDS;
    let [from, to] = [this.entries, new Int32Array(end)];
    for (const shift of SHIFTS) {
      distribute(from, to, end, shift);
      [from, to] = [to, from];
    }
    this.entries = to;
    sortEqualHighs(from, end);
    return from;
  }
}

function enlarged(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

/** Copies entries in the order of the digit of their high halves; those with the same digit keep their order. */
function distribute(from: Int32Array, to: Int32Array, end: number, shift: number): void {
  const places = new Int32Array(DIGIT_MASK + 1);
  for (let at = 0; at < end; at += FIELDS) places[((from[at]! ^ SIGN) >>> shift) & DIGIT_MASK]! += FIELDS;
  let sum = 0;
  for (let digit = 0; digit <= DIGIT_MASK; digit++) {
    const size = places[digit]!;
    places[digit] = sum;
    sum += size;
  }
  for (let at = 0; at < end; at += FIELDS) {
    const high = from[at]!;
    const digit = ((high ^ SIGN) >>> shift) & DIGIT_MASK;
    const place = places[digit]!;
    places[digit] = place + FIELDS;
    to[place] = high;
    to[place + LOW] = from[at + LOW]!;
    to[place + POSTING] = from[at + POSTING]!;
  }
}

/** Different terms with equal high halves are rare. */
function sortEqualHighs(entries: Int32Array, end: number): void {
  for (let from = 0, to: number; from < end; from = to) {
    const [high, low] = [entries[from]!, entries[from + LOW]!];
    let isOneTerm = true;
    for (to = from + FIELDS; to < end && entries[to] === high; to += FIELDS)
      if (entries[to + LOW] !== low) isOneTerm = false;
    if (isOneTerm) continue;
    const unsorted = entries.slice(from, to);
    Array.from({ length: unsorted.length / FIELDS }, (_, i) => i * FIELDS)
      .sort(
        (one, other) =>
          compareTermIds(high, unsorted[one + LOW]!, high, unsorted[other + LOW]!) || one - other,
      )
      .forEach((at, i) => entries.set(unsorted.subarray(at, at + FIELDS), from + i * FIELDS));
  }
}
