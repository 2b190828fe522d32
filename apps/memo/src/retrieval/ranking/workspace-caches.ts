import { type Executor } from '@inference/database';
import { DEFAULT_LANGUAGE } from '../analysis/languages';
import { readHead, type SegmentHead } from '../index/segment';
import {
  countChunksByLanguage,
  readSegmentHeads,
  readVocabularies,
} from '../index/storage/segments.repository';
import { neighboursIn, unpackVocabulary } from '../index/vocabulary';

/** Languages of a smaller share of the chunks are considered detection errors. */
const MIN_CHUNK_SHARE = 0.01;

/** The languages of a workspace's stemmers, the most frequent one first. */
export async function languagesOf(executor: Executor, workspaceId: string): Promise<string[]> {
  const counts = await countChunksByLanguage(executor, workspaceId);
  const all = counts.reduce((sum, { chunks }) => sum + chunks, 0);
  const used = counts.filter(({ chunks }) => chunks >= all * MIN_CHUNK_SHARE).map(({ language }) => language);
  return used.length > 0 ? used : [DEFAULT_LANGUAGE];
}

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

/** Size of the cache. A chunk takes ten bytes. */
const MAX_BYTES = 64 * 1_048_576;
const BYTES_PER_CHUNK = 10;
const BYTES_PER_HEAD = 500;

/** A least-recently-used cache. Segments are immutable, so entries never expire. */
export class SegmentHeadCache {
  private readonly heads = new Map<number, SegmentHead>();
  private bytes = 0;

  constructor(private readonly maxBytes = MAX_BYTES) {}

  /** The heads by segment id; null if a segment was merged away meanwhile. */
  async find(executor: Executor, ids: number[]): Promise<Map<number, SegmentHead> | null> {
    const found = new Map<number, SegmentHead>();
    const missing: number[] = [];
    for (const id of ids) {
      const head = this.heads.get(id);
      if (head) found.set(id, this.keep(id, head));
      else missing.push(id);
    }
    if (missing.length > 0) {
      for (const { id, firstChunk, chunks, numbers, lengths } of await readSegmentHeads(executor, missing)) {
        const head = readHead(Number(firstChunk), chunks, numbers, lengths);
        found.set(Number(id), this.keep(Number(id), head));
      }
    }
    return found.size === ids.length ? found : null;
  }

  private keep(id: number, head: SegmentHead): SegmentHead {
    if (!this.heads.delete(id)) this.bytes += sizeOf(head);
    this.heads.set(id, head);
    for (const [oldest, other] of this.heads) {
      if (this.bytes <= this.maxBytes || oldest === id) break;
      this.heads.delete(oldest);
      this.bytes -= sizeOf(other);
    }
    return head;
  }
}

const sizeOf = ({ chunks }: SegmentHead) => chunks * BYTES_PER_CHUNK + BYTES_PER_HEAD;
