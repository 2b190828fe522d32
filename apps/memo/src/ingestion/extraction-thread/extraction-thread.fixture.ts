import { join } from 'node:path';
import { type MediaType } from '../../tables/media-type';
import { type PackedSegment } from '../../retrieval/index/segment';
import { type Chunk } from './chunker';
import { type ChunkConsumer, ExtractionThread } from './extraction-thread';
import { type ExtractionConfig } from './extraction.config';

const THREAD_FILE = join(
  __dirname,
  '../../../../../dist/apps/memo/src/ingestion/extraction-thread/reading.thread.js',
);
const LIMITS: ExtractionConfig = {
  timeoutSeconds: 60,
  maxMemoryMebibytes: 768,
  maxDocumentCharacters: 67_108_864,
};

/** An extraction thread that runs the built code. */
export const builtThread = (limits: Partial<ExtractionConfig> = {}): ExtractionThread =>
  new ExtractionThread({ ...LIMITS, ...limits }, THREAD_FILE);

/** Keeps everything it receives. */
export class KeptChunks implements ChunkConsumer {
  readonly batches: Chunk[][] = [];
  /** Number of chunks in the received segments. */
  indexed = 0;
  readonly progress: [processed: number, total: number][] = [];

  async onChunks(chunks: Chunk[]): Promise<void> {
    this.batches.push(chunks);
  }

  async onSegment({ chunks }: PackedSegment): Promise<void> {
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

/** The text of a document without trailing white space. */
export async function textOf(
  thread: ExtractionThread,
  content: string | Buffer,
  mediaType: MediaType,
): Promise<string> {
  const kept = new KeptChunks();
  const bytes = new Uint8Array(Buffer.from(content));
  await thread.extract({ title: 'A title', bytes, mediaType }, kept, new AbortController().signal);
  return kept.text;
}
