import { join } from 'node:path';
import { type MediaType } from '../../documents/source-files/media-type';
import { type Segment } from '../../retrieval/index/segment';
import { type Chunk } from './chunker';
import { type ChunkConsumer, DocumentReader } from './document-reader';
import { type ReaderConfig } from './reader.config';

const THREAD_FILE = join(__dirname, '../../../../../dist/apps/memo/src/ingestion/reader/reader.thread.js');
const LIMITS: ReaderConfig = {
  timeoutSeconds: 60,
  maxMemoryMebibytes: 768,
  maxDocumentCharacters: 67_108_864,
};

/** A reader with the thread of the build. */
export const builtReader = (limits: Partial<ReaderConfig> = {}): DocumentReader =>
  new DocumentReader({ ...LIMITS, ...limits }, THREAD_FILE);

/** Keeps everything it receives. */
export class KeptChunks implements ChunkConsumer {
  readonly batches: Chunk[][] = [];
  /** Number of chunks in the received segments. */
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

/** The text of a document without trailing white space. */
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
