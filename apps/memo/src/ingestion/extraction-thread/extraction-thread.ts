import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type OnProgress } from '../extraction/text/text-sink';
import { isResourceExhaustion, ExtractionError } from '../../tables/extraction-error';
import { type PackedPostings, type PackedSegment } from '../../retrieval/index/segment';
import { type Chunk } from './chunker';
import {
  FLOW_CONTROL_BYTES,
  CONSUMED_BATCHES,
  type ExtractedBatch,
  type ExtractionSummary,
  type ThreadData,
  type ThreadMessage,
  type TitledSource,
  IS_WAITING,
} from './thread-messages';
import { type ExtractionConfig } from './extraction.config';

export interface ChunkConsumer {
  /** Called for one batch at a time; the next batch waits until the promise resolves. */
  onChunks(chunks: Chunk[]): Promise<void>;
  /** Called after the last chunk that the segment contains, never at the same time as onChunks. */
  onSegment(segment: PackedSegment, postings: PackedPostings): Promise<void>;
  /** Called after the chunks of the counted part were consumed; for the unit see OnProgress. */
  onProgress: OnProgress;
}

/**
 * A batch takes a second. Its claims have no heartbeat, so its extraction must end long before they are void
 * (CLAIM_TIMEOUT_SECONDS).
 */
const BATCH_TIMEOUT_SECONDS = 10;
const THREAD_FILE = join(__dirname, 'reading.thread.js');
/** Time between two checks of time and memory. It is short enough to stop an allocation of gigabytes. */
const WATCH_INTERVAL_MS = 50;
/** Size of V8's young generation, which holds the short-lived strings of extraction. It counts toward the memory of the process. */
const YOUNG_GENERATION_MEGABYTES = 64;
const MEBIBYTE = 1024 * 1024;

/**
 * Extracts the chunks of documents in a thread, one document at a time. The thread is kept for the next document
 * unless it had to be terminated. For some allocations V8 ends the process instead of the thread, so use this in a
 * process of its own.
 */
export class ExtractionThread {
  private thread: Worker | undefined;
  private extraction: Extraction | undefined;
  private readonly flowControl = new Int32Array(new SharedArrayBuffer(FLOW_CONTROL_BYTES));

  constructor(
    private readonly limits: ExtractionConfig,
    private readonly threadFile = THREAD_FILE,
  ) {}

  /**
   * Extracts one document. The source's bytes are transferred, not copied, if they own their buffer; do not use them
   * afterwards. Rejects with an ExtractionError if the document is at fault, with the reason of the signal, with the
   * error of `consumer`, or with another Error for a defect of the service. After a rejection no call of `consumer`
   * is under way.
   */
  async extract(
    source: TitledSource,
    consumer: ChunkConsumer,
    signal: AbortSignal,
  ): Promise<ExtractionSummary> {
    return this.run<ExtractionSummary>(source, this.limits, consumer, signal);
  }

  /**
   * Extracts short documents together. Rejects like `extract`, also with an ExtractionError if they take too much time or
   * memory together: then it is not known which one is at fault.
   */
  async extractBatch(sources: TitledSource[], signal: AbortSignal): Promise<ExtractedBatch> {
    const timeoutSeconds = Math.min(this.limits.timeoutSeconds, BATCH_TIMEOUT_SECONDS);
    return this.run<ExtractedBatch>(sources, { ...this.limits, timeoutSeconds }, undefined, signal);
  }

  /** Ends the current operation and the thread. */
  async close(): Promise<void> {
    this.extraction?.end(new Error('The extraction thread was closed.'));
    await this.thread?.terminate();
    this.thread = undefined;
  }

  private async run<Result extends ExtractionSummary | ExtractedBatch>(
    sources: TitledSource | TitledSource[],
    limits: ExtractionConfig,
    consumer: ChunkConsumer | undefined,
    signal: AbortSignal,
  ): Promise<Result> {
    if (this.extraction) throw new Error('An extraction thread takes one document or batch at a time.');
    signal.throwIfAborted();
    const thread = (this.thread ??= this.start());
    const extraction = new Extraction(thread, this.flowControl, limits, consumer);
    this.extraction = extraction;
    const onAbort = () => extraction.end(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return (await extraction.run(sources)) as Result;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.extraction = undefined;
      if (extraction.mustReplaceThread && this.thread === thread) this.thread = undefined;
    }
  }

  private start(): Worker {
    const workerData: ThreadData = {
      flowControl: this.flowControl,
      maxCharacters: this.limits.maxDocumentCharacters,
    };
    const thread = new Worker(this.threadFile, {
      workerData,
      env: {},
      resourceLimits: {
        maxOldGenerationSizeMb: this.limits.maxMemoryMebibytes,
        maxYoungGenerationSizeMb: YOUNG_GENERATION_MEGABYTES,
      },
      // Libraries may write contents of a document there.
      stdout: true,
      stderr: true,
    });
    thread.stdout.resume();
    thread.stderr.resume();
    thread.on('message', (message: ThreadMessage) => this.extraction?.receive(message));
    thread.on('error', (error) => this.extraction?.end(error));
    thread.on('exit', () => {
      if (this.thread === thread) this.thread = undefined;
      this.extraction?.end(new Error('The extraction thread ended unexpectedly.'));
    });
    return thread;
  }
}

/** The extraction of one document or batch in the thread. */
class Extraction {
  /** The thread was terminated. */
  mustReplaceThread = false;
  private isOver = false;
  private consumption: Promise<void> = Promise.resolve();
  private watch: NodeJS.Timeout | undefined;
  private resolve!: (contents: ExtractionSummary | ExtractedBatch) => void;
  private reject!: (error: Error) => void;
  private readonly outcome = new Promise<ExtractionSummary | ExtractedBatch>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor(
    private readonly thread: Worker,
    private readonly flowControl: Int32Array,
    private readonly limits: ExtractionConfig,
    private readonly consumer: ChunkConsumer | undefined,
  ) {}

  run(sources: TitledSource | TitledSource[]): Promise<ExtractionSummary | ExtractedBatch> {
    const owned = [sources].flat().map((source) => ({ ...source, bytes: ownBuffer(source.bytes) }));
    this.flowControl.fill(0);
    // The time limit does not include loading the thread.
    Atomics.store(this.flowControl, IS_WAITING, 1);
    this.thread.postMessage(
      Array.isArray(sources) ? owned : owned[0],
      owned.map(({ bytes }) => bytes.buffer),
    );
    this.startWatch();
    return this.outcome;
  }

  receive(message: ThreadMessage): void {
    this.consumption = this.consumption.then(async () => {
      try {
        if (!this.isOver) await this.handle(message);
      } catch (error) {
        this.end(error as Error);
      }
    });
  }

  /** Ends the operation with an error, and the thread with it. */
  end(error: Error): void {
    if (!this.settle()) return;
    this.mustReplaceThread = true;
    const fault = isOutOfMemory(error) ? memoryExceeded() : error;
    // Terminating the thread frees its memory, so it does not wait for the consumer.
    void Promise.all([this.thread.terminate(), this.consumption]).then(() => this.reject(fault));
  }

  private async handle(message: ThreadMessage): Promise<void> {
    if (message.kind === 'chunks') {
      if (message.chunks.length > 0) await this.consumer!.onChunks(message.chunks);
      this.acknowledge();
      if (message.progress && !this.isOver) this.consumer!.onProgress(...message.progress);
    } else if (message.kind === 'segment') {
      await this.consumer!.onSegment(message.segment, message.postings);
      this.acknowledge();
    } else if (message.kind === 'done') {
      if (this.settle()) this.resolve(message.summary);
    } else if (message.kind === 'batch') {
      if (this.settle()) this.resolve(message.batch);
    } else if (message.code === undefined) {
      this.end(new Error(message.message));
    } else if (message.code === 'too_complex') {
      // Terminates the thread, which frees the memory of the document.
      this.end(new ExtractionError(message.code, message.message));
    } else if (this.settle()) {
      this.reject(new ExtractionError(message.code, message.message));
    }
  }

  private acknowledge(): void {
    Atomics.add(this.flowControl, CONSUMED_BATCHES, 1);
    Atomics.notify(this.flowControl, CONSUMED_BATCHES);
  }

  private settle(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    clearInterval(this.watch);
    return true;
  }

  /** The heap limit of the thread does not count typed arrays, so the memory of the process is watched too. */
  private startWatch(): void {
    const maxResidentBytes = process.memoryUsage.rss() + this.limits.maxMemoryMebibytes * MEBIBYTE;
    const { timeoutSeconds: seconds } = this.limits;
    let spentMs = 0;
    let last = performance.now();
    this.watch = setInterval(() => {
      const now = performance.now();
      if (Atomics.load(this.flowControl, IS_WAITING) === 0) spentMs += now - last;
      last = now;
      if (process.memoryUsage.rss() > maxResidentBytes) this.end(memoryExceeded());
      else if (spentMs > seconds * 1000)
        this.end(
          new ExtractionError('too_complex', `Reading the document takes longer than ${seconds} seconds.`),
        );
    }, WATCH_INTERVAL_MS);
  }
}

/**
 * A Buffer often shares its memory with others. It is copied then, because only a whole buffer can be transferred.
 */
function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const isOwn = buffer instanceof ArrayBuffer && bytes.byteLength === buffer.byteLength;
  return isOwn ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

function isOutOfMemory(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ERR_WORKER_OUT_OF_MEMORY' || isResourceExhaustion(error);
}

function memoryExceeded(): ExtractionError {
  return new ExtractionError('too_complex', 'Reading the document takes too much memory.');
}
