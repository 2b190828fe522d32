import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type MemoConfig } from '../config';
import { type OnProgress } from '../extraction/extraction';
import { isExhaustion, ReadingError } from '../extraction/reading-error';
import { type PackedPostings, type Segment } from '../index/segment';
import { type Chunk } from './chunker';
import {
  FLOW_BYTES,
  TAKEN,
  type ThreadData,
  type ThreadMessage,
  type TitledSource,
  WAITING,
} from './reader-protocol';

export type ReadingLimits = Pick<
  MemoConfig,
  'EXTRACTION_TIMEOUT_SECONDS' | 'INGESTION_MEMORY_MEGABYTES' | 'MAX_DOCUMENT_CHARACTERS'
>;

/** What a document has come to. */
export interface Contents {
  /** UTF-16 code units, of the leads and texts of all chunks. */
  characters: number;
  chunks: number;
}

export interface ChunkTaker {
  /** Called for one batch after the other; the next one waits until this one is taken. */
  onChunks(chunks: Chunk[]): Promise<void>;
  /** Called in turn with onChunks, behind the last chunk that the segment holds. */
  onSegment(segment: Segment, postings: PackedPostings): Promise<void>;
  /** Comes when the chunks of what is counted are taken; see OnProgress of the extraction for the units. */
  onProgress: OnProgress;
}

const THREAD_FILE = join(__dirname, 'reader.thread.js');
const WATCH_EVERY_MS = 50;
const YOUNG_GENERATION_MEGABYTES = 64;
const MEBIBYTE = 1024 * 1024;

/**
 * Reads documents, one at a time, in a thread that is kept for the next one unless it had to be ended. V8 ends the
 * process rather than the thread for a few kinds of allocation: whoever uses this should be a process of its own.
 */
export class DocumentReader {
  private thread: Worker | undefined;
  private reading: Reading | undefined;
  private readonly flow = new Int32Array(new SharedArrayBuffer(FLOW_BYTES));

  constructor(
    private readonly limits: ReadingLimits,
    private readonly threadFile = THREAD_FILE,
  ) {}

  /**
   * The source's bytes are handed over, not copied, if they own their buffer: do not use them afterwards. Rejects with a
   * ReadingError when the document is at fault, with the signal's reason, with what `taker` throws, or with a plain
   * Error for a fault of ours; by then no call of `taker` is under way any more.
   */
  async read(source: TitledSource, taker: ChunkTaker, signal: AbortSignal): Promise<Contents> {
    if (this.reading) throw new Error('A reader reads one document at a time.');
    signal.throwIfAborted();
    const thread = (this.thread ??= this.start());
    const reading = (this.reading = new Reading(thread, this.flow, this.limits, taker));
    const onAbort = () => reading.end(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await reading.run(source);
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.reading = undefined;
      if (reading.isThreadSpent && this.thread === thread) this.thread = undefined;
    }
  }

  /** Ends what is being read. */
  async close(): Promise<void> {
    this.reading?.end(new Error('The reader was closed.'));
    await this.thread?.terminate();
    this.thread = undefined;
  }

  private start(): Worker {
    const workerData: ThreadData = {
      flow: this.flow,
      maxCharacters: this.limits.MAX_DOCUMENT_CHARACTERS,
    };
    const thread = new Worker(this.threadFile, {
      workerData,
      env: {},
      resourceLimits: {
        maxOldGenerationSizeMb: this.limits.INGESTION_MEMORY_MEGABYTES,
        maxYoungGenerationSizeMb: YOUNG_GENERATION_MEGABYTES,
      },
      // Libraries could say something of a document there.
      stdout: true,
      stderr: true,
    });
    thread.stdout.resume();
    thread.stderr.resume();
    thread.on('message', (message: ThreadMessage) => this.reading?.receive(message));
    thread.on('error', (error) => this.reading?.end(error));
    thread.on('exit', () => {
      if (this.thread === thread) this.thread = undefined;
      this.reading?.end(new Error('The thread that reads documents ended early.'));
    });
    return thread;
  }
}

/** One document in the thread. */
class Reading {
  /** It is not to be used again. */
  isThreadSpent = false;
  private isOver = false;
  private taking: Promise<void> = Promise.resolve();
  private watch: NodeJS.Timeout | undefined;
  private resolve!: (contents: Contents) => void;
  private reject!: (error: Error) => void;
  private readonly outcome = new Promise<Contents>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor(
    private readonly thread: Worker,
    private readonly flow: Int32Array,
    private readonly limits: ReadingLimits,
    private readonly taker: ChunkTaker,
  ) {}

  run({ bytes, mediaType, title }: TitledSource): Promise<Contents> {
    const owned = ownBuffer(bytes);
    this.flow.fill(0);
    // Until the thread is loaded and begins.
    Atomics.store(this.flow, WAITING, 1);
    this.thread.postMessage({ bytes: owned, mediaType, title } satisfies TitledSource, [owned.buffer]);
    this.startWatch();
    return this.outcome;
  }

  receive(message: ThreadMessage): void {
    this.taking = this.taking.then(async () => {
      try {
        if (!this.isOver) await this.take(message);
      } catch (error) {
        this.end(error as Error);
      }
    });
  }

  /** Ends the thread too, unless it has come to this by itself. */
  end(error: Error): void {
    if (!this.settle()) return;
    this.isThreadSpent = true;
    const fault = isOutOfMemory(error) ? tooMuchMemory() : error;
    // What frees the memory must not wait for whoever takes chunks.
    void Promise.all([this.thread.terminate(), this.taking]).then(() => this.reject(fault));
  }

  private async take(message: ThreadMessage): Promise<void> {
    if (message.kind === 'chunks') {
      if (message.chunks.length > 0) await this.taker.onChunks(message.chunks);
      this.acknowledge();
      if (message.progress && !this.isOver) this.taker.onProgress(...message.progress);
    } else if (message.kind === 'segment') {
      await this.taker.onSegment(message.segment, message.postings);
      this.acknowledge();
    } else if (message.kind === 'done') {
      if (this.settle()) this.resolve(message.contents);
    } else if (message.code === undefined) {
      this.end(new Error(message.message));
    } else if (message.code === 'too_complex') {
      // Its memory goes with the thread.
      this.end(new ReadingError(message.code, message.message));
    } else if (this.settle()) {
      this.reject(new ReadingError(message.code, message.message));
    }
  }

  private acknowledge(): void {
    Atomics.add(this.flow, TAKEN, 1);
    Atomics.notify(this.flow, TAKEN);
  }

  private settle(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    clearInterval(this.watch);
    return true;
  }

  /** The thread's heap has a limit that does not count typed arrays, so that the process is watched too. */
  private startWatch(): void {
    const most = process.memoryUsage.rss() + this.limits.INGESTION_MEMORY_MEGABYTES * MEBIBYTE;
    const seconds = this.limits.EXTRACTION_TIMEOUT_SECONDS;
    let spentMs = 0;
    let last = performance.now();
    this.watch = setInterval(() => {
      const now = performance.now();
      if (Atomics.load(this.flow, WAITING) === 0) spentMs += now - last;
      last = now;
      if (process.memoryUsage.rss() > most) this.end(tooMuchMemory());
      else if (spentMs > seconds * 1000)
        this.end(
          new ReadingError('too_complex', `Reading the document takes longer than ${seconds} seconds.`),
        );
    }, WATCH_EVERY_MS);
  }
}

/** A Buffer often shares its memory with others; then it must be copied before it can be handed over. */
function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const isOwn = buffer instanceof ArrayBuffer && bytes.byteLength === buffer.byteLength;
  return isOwn ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

function isOutOfMemory(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ERR_WORKER_OUT_OF_MEMORY' || isExhaustion(error);
}

function tooMuchMemory(): ReadingError {
  return new ReadingError('too_complex', 'Reading the document takes too much memory.');
}
