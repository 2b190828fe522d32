import { type Transaction } from '@inference/database';
import { type Segment } from '../../tables/segment.entity';
import { PassageAnalyzer } from '../analysis/passage-analyzer';
import { readTextsOfChunks } from '../search/chunks.repository';
import { type SegmentHead } from './segment';
import { SegmentBuilder } from './segment-builder';
import { insertPostings } from './storage/postings.repository';
import { insertSegment } from './storage/segments.repository';

/** Chunks that are read and analysed at a time: some hundred milliseconds. */
const PAGE_CHUNKS = 500;

let analyzer: Promise<PassageAnalyzer> | undefined;

/**
 * Indexes the served chunks of a segment anew from their texts. The new segments are seen when the transaction commits; the caller
 * discards the old one in it, so that a search finds each chunk once.
 * @param numbers of the chunks that are not retired, ascending
 */
export async function rebuildSegment(
  transaction: Transaction,
  workspaceId: string,
  { head }: { id: Segment['id']; head: SegmentHead },
  numbers: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const passages = await (analyzer ??= PassageAnalyzer.load());
  const lengths = new Map(Array.from(head.numbers, (number, slot) => [number, head.lengths[slot]!]));
  let builder = new SegmentBuilder();
  let built: number[] = [];
  const write = async (): Promise<void> => {
    if (built.length === 0) return;
    const { segment, postings } = builder.build(built);
    const id = await insertSegment(transaction, { workspaceId, firstChunk: built[0]! }, segment);
    await insertPostings(transaction, id, postings);
    [builder, built] = [new SegmentBuilder(), []];
  };
  for (let from = 0; from < numbers.length; from += PAGE_CHUNKS) {
    signal.throwIfAborted();
    const page = numbers.slice(from, from + PAGE_CHUNKS);
    const texts = await readTextsOfChunks(transaction, workspaceId, page);
    for (const number of page) {
      const { title, text } = texts.get(number) ?? { title: '', text: '' };
      // The number of words stays, because versions and retired ranges count with it.
      builder.add(passages.analyze(title, text), lengths.get(number));
      built.push(number);
      if (builder.isFull) await write();
    }
  }
  await write();
}
