import { type Executor } from '@inference/database';
import { readVocabularies } from '../index/storage/segments.repository';
import { neighboursIn, unpackVocabulary } from '../index/vocabulary';

/** Words in memory: some dozens of megabytes. */
const MAX_WORDS = 1_000_000;
/** Of more neighbours none is likely to be meant. */
const MAX_CORRECTIONS = 8;
/** Each one is compared with thousands of words. A query with more unknown words is in another language. */
const MAX_CORRECTED_WORDS = 8;

/** A least-recently-used cache of the words of segments. Segments are immutable, so entries never expire. */
export class VocabularyCache {
  private readonly vocabularies = new Map<number, string[]>();
  private words = 0;

  /** For each of the first words those of the segments that differ from it by one letter. Words without any are missing. */
  async correct(
    executor: Executor,
    segmentIds: readonly number[],
    words: readonly string[],
  ): Promise<Map<string, string[]>> {
    const known = await this.find(executor, segmentIds);
    const corrections = new Map<string, string[]>();
    for (const word of words.slice(0, MAX_CORRECTED_WORDS)) {
      const near = new Set(known.flatMap((vocabulary) => neighboursIn(vocabulary, word)));
      if (near.size > 0) corrections.set(word, [...near].slice(0, MAX_CORRECTIONS));
    }
    return corrections;
  }

  private async find(executor: Executor, ids: readonly number[]): Promise<string[][]> {
    const missing = ids.filter((id) => !this.vocabularies.has(id));
    if (missing.length > 0)
      for (const { id, vocabulary } of await readVocabularies(executor, missing))
        this.keep(id, unpackVocabulary(vocabulary));
    const found = ids.flatMap((id) => {
      const vocabulary = this.vocabularies.get(id);
      return vocabulary ? [this.keep(id, vocabulary)] : [];
    });
    this.dropOldest();
    return found;
  }

  private keep(id: number, vocabulary: string[]): string[] {
    if (!this.vocabularies.delete(id)) this.words += vocabulary.length;
    this.vocabularies.set(id, vocabulary);
    return vocabulary;
  }

  private dropOldest(): void {
    for (const [oldest, vocabulary] of this.vocabularies) {
      if (this.words <= MAX_WORDS) break;
      this.vocabularies.delete(oldest);
      this.words -= vocabulary.length;
    }
  }
}
