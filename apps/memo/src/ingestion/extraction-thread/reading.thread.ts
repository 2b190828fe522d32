import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { PassageAnalyzer } from '../../retrieval/analysis/passage-analyzer';
import { extract } from '../extraction/extraction';
import { isResourceExhaustion, ExtractionError } from '../../tables/extraction-error';
import { SegmentBuilder } from '../../retrieval/index/segment-builder';
import { type Chunk, Chunker } from './chunker';
import {
  type BatchedDocument,
  CONSUMED_BATCHES,
  type ThreadData,
  type ThreadMessage,
  type TitledSource,
  IS_WAITING,
} from './thread-messages';

/** Chunks per batch, which is one insert statement. */
const BATCH_CHUNKS = 200;
/**
 * The thread waits while more batches are not consumed. With one it waits for every write; twice as many double the
 * memory of unconsumed batches.
 */
const MAX_UNCONSUMED_BATCHES = 2;
/** The interval of a claim's heartbeat, which stores the progress. */
const PROGRESS_INTERVAL_MS = 500;

/**
 * Sends the chunks of a document in batches, with the index segments of the chunks, no faster than they are consumed.
 */
class BatchSender {
  private chunks: Chunk[] = [];
  private progress: [number, number] | undefined;
  private segment = new SegmentBuilder();
  private sent = 0;
  private sentAt = performance.now();

  constructor(
    private readonly port: MessagePort,
    private readonly flowControl: Int32Array,
    private readonly analyzer: PassageAnalyzer,
    private readonly title: string,
  ) {}

  add(chunk: Chunk): void {
    this.chunks.push(chunk);
    this.segment.add(this.analyzer.analyze(this.title, chunk.text));
    if (this.segment.isFull) this.sendWithSegment();
    else if (this.chunks.length >= BATCH_CHUNKS) this.send();
  }

  /** Sent together with the chunks before it. */
  report(processed: number, total: number): void {
    this.progress = [processed, total];
    if (performance.now() - this.sentAt >= PROGRESS_INTERVAL_MS) this.send();
  }

  send(): void {
    this.post({ kind: 'chunks', chunks: this.chunks, progress: this.progress });
    this.chunks = [];
    this.progress = undefined;
    this.count();
  }

  /** Sends the remaining chunks and the segment built from them. */
  sendWithSegment(): void {
    this.send();
    if (this.segment.chunks === 0) return;
    const { segment, postings } = this.segment.build();
    this.segment = new SegmentBuilder();
    const packed = [postings.keys, postings.ends, postings.chunks, postings.bytes];
    this.post(
      { kind: 'segment', segment, postings },
      packed.map(({ buffer }) => buffer as ArrayBuffer),
    );
    this.count();
  }

  post(message: ThreadMessage, transfer: ArrayBuffer[] = []): void {
    this.port.postMessage(message, transfer);
  }

  private count(): void {
    this.sent += 1;
    this.waitForConsumer();
    this.sentAt = performance.now();
  }

  private waitForConsumer(): void {
    Atomics.store(this.flowControl, IS_WAITING, 1);
    for (;;) {
      const taken = Atomics.load(this.flowControl, CONSUMED_BATCHES);
      if (this.sent - taken <= MAX_UNCONSUMED_BATCHES) break;
      Atomics.wait(this.flowControl, CONSUMED_BATCHES, taken);
    }
    Atomics.store(this.flowControl, IS_WAITING, 0);
  }
}

async function extractChunks(source: TitledSource): Promise<void> {
  const chunker = new Chunker();
  const sender = new BatchSender(port, flowControl, await analyzer, source.title);
  Atomics.store(flowControl, IS_WAITING, 0);
  try {
    const reading = await extract(source, {
      maxCharacters,
      onText: (piece) => {
        for (const chunk of chunker.push(piece)) sender.add(chunk);
      },
      onProgress: (processed, total) => sender.report(processed, total),
    });
    for (const chunk of chunker.end()) sender.add(chunk);
    sender.sendWithSegment();
    sender.post({ kind: 'done', summary: { characters: chunker.length, chunks: chunker.count, ...reading } });
  } catch (error) {
    sender.post(failureOf(error as Error));
  }
}

async function extractBatch(sources: TitledSource[]): Promise<void> {
  const [passages, segment] = [await analyzer, new SegmentBuilder()];
  Atomics.store(flowControl, IS_WAITING, 0);
  const documents: BatchedDocument[] = [];
  for (const source of sources) documents.push(await addToSegment(source, segment, passages));
  port.postMessage({ kind: 'batch', batch: { documents, ...segment.build() } } satisfies ThreadMessage);
}

/** Adds the chunks of a document to the segment, or nothing if its text cannot be extracted. */
async function addToSegment(
  source: TitledSource,
  segment: SegmentBuilder,
  passages: PassageAnalyzer,
): Promise<BatchedDocument> {
  const chunker = new Chunker();
  const chunks: Chunk[] = [];
  try {
    const onText = (piece: string) => void chunks.push(...chunker.push(piece));
    const reading = await extract(source, { maxCharacters, onText, onProgress: () => undefined });
    chunks.push(...chunker.end());
    const analyzed = chunks.map(({ text }) => passages.analyze(source.title, text));
    const before = segment.words;
    for (const terms of analyzed) segment.add(terms);
    return { chunks, words: segment.words - before, reading };
  } catch (error) {
    const failure = failureOf(error as Error);
    return failure.code === undefined || failure.code === 'too_complex'
      ? null
      : { code: failure.code, message: failure.message };
  }
}

function failureOf(error: Error): Extract<ThreadMessage, { kind: 'failed' }> {
  if (error instanceof ExtractionError) return { kind: 'failed', code: error.code, message: error.message };
  if (isResourceExhaustion(error))
    return {
      kind: 'failed',
      code: 'too_complex',
      message: 'The document is nested too deeply or too large.',
    };
  return { kind: 'failed', code: undefined, message: error.stack ?? error.message };
}

const { flowControl, maxCharacters } = workerData as ThreadData;
const port = parentPort!;
const analyzer = PassageAnalyzer.load();
port.on('message', (sources: TitledSource | TitledSource[]) => {
  void (Array.isArray(sources) ? extractBatch(sources) : extractChunks(sources));
});
