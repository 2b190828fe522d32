import { join } from 'node:path';
import { type MediaType } from '../documents/media-type';
import { type Segment } from '../index/segment';
import { type Chunk } from './chunker';
import { type ChunkTaker, DocumentReader, type ReadingLimits } from './reading';

const THREAD_FILE = join(__dirname, '../../../../dist/apps/memo/src/ingestion/reader.thread.js');
const LIMITS: ReadingLimits = {
  EXTRACTION_TIMEOUT_SECONDS: 60,
  INGESTION_MEMORY_MEGABYTES: 768,
  MAX_DOCUMENT_CHARACTERS: 67_108_864,
};

/** A reader whose thread runs the built product. */
export const builtReader = (limits: Partial<ReadingLimits> = {}): DocumentReader =>
  new DocumentReader({ ...LIMITS, ...limits }, THREAD_FILE);

/** Keeps what comes. */
export class KeptChunks implements ChunkTaker {
  readonly batches: Chunk[][] = [];
  /** Chunks that segments came with. */
  indexed = 0;
  readonly progress: [processed: number, total: number][] = [];

  async onChunks(chunks: Chunk[]): Promise<void> {
    this.batches.push(chunks);
  }

  async onSegment({ chunks }: Segment): Promise<void> {
    this.indexed += chunks;
  }

  onProgress(processed: number, total: number): void {
    this.progress.push([processed, total]);
  }

  get text(): string {
    return this.batches
      .flat()
      .map(({ lead, text }) => lead + text)
      .join('');
  }
}

/** The text of a document, but for white space at its end. */
export async function textOf(
  reader: DocumentReader,
  content: string | Buffer,
  mediaType: MediaType,
): Promise<string> {
  const kept = new KeptChunks();
  const bytes = new Uint8Array(Buffer.from(content));
  await reader.read({ title: 'A title', bytes, mediaType }, kept, new AbortController().signal);
  return kept.text;
}
