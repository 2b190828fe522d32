import { PostingBlockPacker } from './postings/posting-blocks';
import { frequencyOf, MAX_TERM_FREQUENCY, postingOf } from './postings/postings';
import { type PassageTerms } from '../analysis/passage-analyzer';
import { isCorrectable } from '../analysis/terms';
import { ANALYSIS, type PackedPostings, type PackedSegment, packLengths, packNumbers } from './segment';
import { packVocabulary } from './vocabulary';
import { compareTermIds, hashTerm, termHash } from './term-id';

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
class TermTable {
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
  private readonly vocabulary = new Set<string>();
  /** Words of all chunks. */
  words = 0;

  get chunks(): number {
    return this.lengths.length;
  }

  /** When full, the segment is to be built, and the next chunk belongs to another one. */
  get isFull(): boolean {
    return this.chunks === MAX_CHUNKS || this.postings.length >= MAX_POSTINGS;
  }

  /** Adds the next chunk. @param wordCount the number that counts as its length */
  add({ terms, further, words, language }: PassageTerms, wordCount = terms.length): void {
    const slot = this.lengths.length;
    const length = Math.min(wordCount, MAX_TERM_FREQUENCY);
    this.lengths.push(length);
    this.words += length;
    this.languages.set(language, (this.languages.get(language) ?? 0) + 1);
    for (const word of words) this.vocabulary.add(word);
    const first = this.postings.length;
    this.addPostings(terms, slot, first);
    this.addPostings(further, slot, first);
  }

  /** @param first the first posting of the chunk */
  private addPostings(terms: readonly string[], slot: number, first: number): void {
    const { postings, termPlaces } = this;
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

  /** @param numbers of the chunks, ascending; by default they follow each other */
  build(numbers?: readonly number[]): { segment: PackedSegment; postings: PackedPostings } {
    const { chunks, words, lengths } = this;
    return {
      segment: {
        analysis: ANALYSIS,
        vocabulary: packVocabulary([...this.vocabulary].filter(isCorrectable)),
        chunks,
        words,
        numbers: packNumbers(numbers ?? lengths.map((_length, slot) => slot)),
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
      packer.add(ids[place * 2]!, ids[place * 2 + 1]!, sorted, starts[place]!, starts[place + 1]!);
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
  const keys = new Float64Array(ids.length / 2);
  for (let place = 0; place < keys.length; place++) keys[place] = ids[place * 2]! * MAX_TERMS + place;
  keys.sort();
  const order = new Int32Array(keys.length);
  for (let i = 0; i < keys.length; i++) order[i] = keys[i]! - Math.floor(keys[i]! / MAX_TERMS) * MAX_TERMS;
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
