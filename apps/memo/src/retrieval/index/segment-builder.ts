import { PostingBlockPacker } from './postings/posting-blocks';
import { CollectedPostings } from './postings/collected-postings';
import { MAX_TERM_FREQUENCY } from './postings/postings';
import { type PassageTerms } from '../analysis/passage-analyzer';
import { isCorrectable } from '../analysis/terms';
import { ANALYSIS, type PackedPostings, type PackedSegment, packLengths, packNumbers } from './segment';
import { packVocabulary } from './vocabulary';

/** Limits of a new segment. Twice doubles the memory of every worker; half doubles the number of merges. */
const MAX_CHUNKS = 8_192;
const MAX_POSTINGS = 4_000_000;
/** Builds a segment from consecutive chunks. */
export class SegmentBuilder {
  private readonly lengths: number[] = [];
  private readonly languages = new Map<string, number>();
  private readonly postings = new CollectedPostings();
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

  /** Adds the next chunk. @param wordCount the number that counts as its length; by default that of its terms */
  add({ terms, further, words, language, runs = [] }: PassageTerms, wordCount?: number): void {
    const { postings, lengths, languages, vocabulary } = this;
    postings.startChunk(lengths.length);
    postings.add(terms);
    let termCount = terms.length;
    for (const run of runs) termCount += postings.addRun(run);
    postings.add(further);
    const length = Math.min(wordCount ?? termCount, MAX_TERM_FREQUENCY);
    lengths.push(length);
    this.words += length;
    languages.set(language, (languages.get(language) ?? 0) + 1);
    for (const word of words) vocabulary.add(word);
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
    const packer = new PostingBlockPacker();
    this.postings.forEachTerm((high, low, postings, count) => packer.add(high, low, postings, 0, count));
    return packer.take();
  }
}
