import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { PassageAnalyzer } from '../analysis/passage-terms';
import { extract } from '../extraction/extraction';
import { isExhaustion, ReadingError } from '../extraction/reading-error';
import { SegmentBuilder } from '../index/segment-builder';
import { type Chunk, Chunker } from './chunker';
import { TAKEN, type ThreadData, type ThreadMessage, type TitledSource, WAITING } from './reader-protocol';

const BATCH_CHUNKS = 200;
/** So many batches may be on their way before the thread waits. */
const BATCHES_AHEAD = 2;
const PROGRESS_EVERY_MS = 500;

/** Sends the chunks of one document in batches, and what the index needs of them, no faster than they are taken. */
class Handover {
  private chunks: Chunk[] = [];
  private progress: [number, number] | undefined;
  private segment = new SegmentBuilder();
  private sent = 0;
  private sentAt = performance.now();

  constructor(
    private readonly port: MessagePort,
    private readonly flow: Int32Array,
    private readonly analyzer: PassageAnalyzer,
    private readonly title: string,
  ) {}

  add(chunk: Chunk): void {
    this.chunks.push(chunk);
    const { terms, language } = this.analyzer.analyze(this.title, chunk.text);
    this.segment.add(terms, language);
    if (this.segment.isFull) this.sendAll();
    else if (this.chunks.length >= BATCH_CHUNKS) this.send();
  }

  /** Goes out with the chunks before it. */
  report(processed: number, total: number): void {
    this.progress = [processed, total];
    if (performance.now() - this.sentAt >= PROGRESS_EVERY_MS) this.send();
  }

  send(): void {
    this.post({ kind: 'chunks', chunks: this.chunks, progress: this.progress });
    this.chunks = [];
    this.progress = undefined;
    this.count();
  }

  /** With the segment that has come of it. */
  sendAll(): void {
    this.send();
    if (this.segment.chunks === 0) return;
    const { segment, postings } = this.segment.build();
    this.segment = new SegmentBuilder();
    const packed = [postings.terms, postings.ends, postings.chunks, postings.bytes];
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
    this.waitForTaker();
    this.sentAt = performance.now();
  }

  private waitForTaker(): void {
    Atomics.store(this.flow, WAITING, 1);
    for (;;) {
      const taken = Atomics.load(this.flow, TAKEN);
      if (this.sent - taken <= BATCHES_AHEAD) break;
      Atomics.wait(this.flow, TAKEN, taken);
    }
    Atomics.store(this.flow, WAITING, 0);
  }
}

async function read(source: TitledSource): Promise<void> {
  const chunker = new Chunker();
  const handover = new Handover(port, flow, await analyzer, source.title);
  Atomics.store(flow, WAITING, 0);
  try {
    await extract(source, {
      maxCharacters,
      onText: (piece) => {
        for (const chunk of chunker.push(piece)) handover.add(chunk);
      },
      onProgress: (processed, total) => handover.report(processed, total),
    });
    for (const chunk of chunker.end()) handover.add(chunk);
    handover.sendAll();
    handover.post({ kind: 'done', contents: { characters: chunker.length, chunks: chunker.count } });
  } catch (error) {
    handover.post(failureOf(error as Error));
  }
}

function failureOf(error: Error): ThreadMessage {
  if (error instanceof ReadingError) return { kind: 'failed', code: error.code, message: error.message };
  if (isExhaustion(error))
    return {
      kind: 'failed',
      code: 'too_complex',
      message: 'The document is nested too deeply or too large.',
    };
  return { kind: 'failed', code: undefined, message: error.stack ?? error.message };
}

const { flow, maxCharacters } = workerData as ThreadData;
const port = parentPort!;
const analyzer = PassageAnalyzer.load();
port.on('message', (source: TitledSource) => void read(source));
