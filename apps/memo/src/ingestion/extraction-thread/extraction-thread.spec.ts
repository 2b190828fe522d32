import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Worker } from 'node:worker_threads';
import { deflateSync } from 'node:zlib';
import { waitFor } from '@inference/testing';
import { DOCX } from '../../tables/media-type';
import { endlessDeflate } from '../extraction/package/zip-archive.fixture';
import { docxOf, HEAD, TAIL } from '../extraction/docx/docx.fixture';
import { onePage, pdfkit } from '../extraction/pdf/pdf.fixture';
import { ExtractionError } from '../../tables/extraction-error';
import { ExtractionThread } from './extraction-thread';
import { type ExtractionConfig } from './extraction.config';
import { builtThread, KeptChunks, textOf } from './extraction-thread.fixture';

const NEVER = new AbortController().signal;
const MEBIBYTE = 1024 * 1024;
/** Reads the next document whatever became of the last one. A thread takes a second to start. */
const extractor = builtThread();
const limited: ExtractionThread[] = [];

function extractorWith(limits: Partial<ExtractionConfig>): ExtractionThread {
  const made = builtThread(limits);
  limited.push(made);
  return made;
}

const threadOf = (extractor: ExtractionThread): Worker => (extractor as unknown as { thread: Worker }).thread;

const plain = (text: string | Buffer) => ({
  bytes: new Uint8Array(Buffer.from(text)),
  mediaType: 'text/plain' as const,
  title: 'A title',
});
const LONG_TEXT = Buffer.alloc(3 * MEBIBYTE, 'Some words that make a sentence. ');
/** Takes minutes: gigabytes of empty paragraphs. */
const endlessWork = () => {
  const paragraphs = Buffer.from('<w:p/>'.repeat(80_000));
  const size = HEAD.length + paragraphs.length * 1_000 + TAIL.length;
  return {
    bytes: new Uint8Array(docxOf({ deflated: endlessDeflate(HEAD, paragraphs, 1_000, TAIL), size })),
    mediaType: DOCX,
    title: 'A title',
  } as const;
};

afterEach(async () => {
  await Promise.all(limited.splice(0).map((made) => made.close()));
});
afterAll(() => extractor.close());

describe('ExtractionThread', () => {
  it('passes chunks on in batches and returns a summary', async () => {
    const kept = new KeptChunks();
    const contents = await extractor.extract(plain(LONG_TEXT), kept, NEVER);
    expect(kept.indexed).toBe(contents.chunks);
    const chunks = kept.batches.flat();
    expect(kept.text).toBe(LONG_TEXT.toString().trimEnd());
    expect(contents).toMatchObject({ characters: kept.text.length, chunks: chunks.length });
    expect(kept.batches.length).toBeGreaterThan(10);
    expect(Math.max(...kept.batches.map((batch) => batch.length))).toBe(200);
  });

  it('runs at most two batches ahead of the consumer, which gets one at a time', async () => {
    let [underWay, most] = [0, 0];
    const open: (() => void)[] = [];
    const onChunks = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise<void>((resolve) => open.push(resolve));
      underWay -= 1;
    };
    const sent = jest.fn();
    const extraction = extractor.extract(
      plain(LONG_TEXT),
      { onChunks, onSegment: async () => undefined, onProgress: () => undefined },
      NEVER,
    );
    threadOf(extractor).on('message', sent);
    await waitFor(async () => sent.mock.calls.length >= 3);
    await wait(300);
    expect(sent.mock.calls.length).toBe(3);
    open.shift()!();
    await waitFor(async () => sent.mock.calls.length >= 4);
    const opening = setInterval(() => open.shift()?.(), 1);
    await extraction;
    clearInterval(opening);
    expect(most).toBe(1);
  });

  it('reports the progress of consumed text in pages or bytes', async () => {
    const pages = await pdfkit({}, (d) => {
      for (let n = 1; n < 5; n++) d.text(`Page ${n}.`).addPage();
      d.text('Page 5.');
    });
    const ofPages = new KeptChunks();
    await extractor.extract(
      { title: 'A title', bytes: new Uint8Array(pages), mediaType: 'application/pdf' },
      ofPages,
      NEVER,
    );
    expect(ofPages.progress.at(-1)).toEqual([5, 5]);
    const ofBytes = new KeptChunks();
    const taken: number[] = [];
    ofBytes.onProgress = (processed, total) => {
      taken.push(ofBytes.text.length);
      ofBytes.progress.push([processed, total]);
    };
    await extractor.extract(plain(LONG_TEXT), ofBytes, NEVER);
    expect(ofBytes.progress.at(-1)).toEqual([LONG_TEXT.length, LONG_TEXT.length]);
    expect(ofBytes.progress.length).toBeGreaterThan(1);
    // Except for text that may become part of the next chunk.
    for (const [n, [processed]] of ofBytes.progress.entries())
      expect(taken[n]).toBeGreaterThan(processed - 2_000);
  });

  it('keeps its thread for the next document, whether or not this one could be read', async () => {
    expect(await textOf(extractor, 'One.', 'text/plain')).toBe('One.');
    const thread = threadOf(extractor);
    await expect(textOf(extractor, '', 'text/plain')).rejects.toMatchObject({ code: 'empty' });
    expect(await textOf(extractor, 'Two.', 'text/plain')).toBe('Two.');
    expect(threadOf(extractor)).toBe(thread);
  });

  it('ends a document that takes too long, and reads the next one', async () => {
    const strict = extractorWith({ timeoutSeconds: 0.5 });
    const extraction = strict.extract(endlessWork(), new KeptChunks(), NEVER);
    const message = 'Reading the document takes longer than 0.5 seconds.';
    await expect(extraction).rejects.toMatchObject({ code: 'too_complex', message });
    expect(await textOf(strict, 'Next.', 'text/plain')).toBe('Next.');
  });

  it('does not count the time during which the consumer is busy', async () => {
    const strict = extractorWith({ timeoutSeconds: 3 });
    // The thread takes a second to start.
    await textOf(strict, 'First.', 'text/plain');
    const kept = new KeptChunks();
    const take = kept.onChunks.bind(kept);
    kept.onChunks = async (chunks) => {
      if (kept.batches.length === 0) await wait(3_500);
      await take(chunks);
    };
    const { characters } = await strict.extract(plain(LONG_TEXT.subarray(0, MEBIBYTE / 4)), kept, NEVER);
    expect(characters).toBe(kept.text.length);
  });

  it('ends a document that takes too much memory, including typed arrays', async () => {
    const bytes = deflateSync(Buffer.alloc(120 * MEBIBYTE, ' '));
    const pdf = onePage(['/Filter /FlateDecode', bytes]);
    const extraction = textOf(extractorWith({ maxMemoryMebibytes: 128 }), pdf, 'application/pdf');
    const message = 'Reading the document takes too much memory.';
    await expect(extraction).rejects.toMatchObject({ code: 'too_complex', message });
  });

  it('refuses more text than is allowed', async () => {
    const strict = extractorWith({ maxDocumentCharacters: 10 });
    expect(await textOf(strict, '0123456789', 'text/plain')).toBe('0123456789');
    for (const mediaType of ['text/plain', 'text/html'] as const)
      await expect(textOf(strict, '0123456789x', mediaType)).rejects.toMatchObject({ code: 'too_long' });
  });

  it('stops on a signal, and reads the next document', async () => {
    const control = new AbortController();
    const extraction = extractor.extract(endlessWork(), new KeptChunks(), control.signal);
    await expect(extractor.extract(plain('Too early.'), new KeptChunks(), NEVER)).rejects.toThrow(
      'one document',
    );
    control.abort(new Error('deleted'));
    await expect(extraction).rejects.toThrow('deleted');
    await expect(extractor.extract(plain('x'), new KeptChunks(), control.signal)).rejects.toThrow('deleted');
    expect(await textOf(extractor, 'Next.', 'text/plain')).toBe('Next.');
  });

  it('rejects only after the consumer has finished', async () => {
    const control = new AbortController();
    const order: string[] = [];
    const onChunks = async () => {
      order.push('begins');
      control.abort(new Error('deleted'));
      await wait(200);
      order.push('ends');
    };
    const onSegment = async () => undefined;
    const taker = { onChunks, onSegment, onProgress: () => void order.push('progress') };
    const extraction = extractor.extract(plain(LONG_TEXT), taker, control.signal);
    await expect(extraction.finally(() => order.push('over'))).rejects.toThrow('deleted');
    expect(order).toEqual(['begins', 'ends', 'over']);
  });

  it('fails with the error of its consumer, and reads the next document', async () => {
    const onChunks = jest.fn().mockRejectedValue(new Error('the database is gone'));
    const extraction = extractor.extract(
      plain(LONG_TEXT),
      { onChunks, onSegment: async () => undefined, onProgress: () => undefined },
      NEVER,
    );
    await expect(extraction).rejects.toThrow('the database is gone');
    expect(onChunks).toHaveBeenCalledTimes(1);
    expect(await textOf(extractor, 'Next.', 'text/plain')).toBe('Next.');
  });

  it('fails with a plain error if its thread cannot start', async () => {
    const broken = new ExtractionThread(
      { timeoutSeconds: 60, maxMemoryMebibytes: 256, maxDocumentCharacters: 10 },
      join(__dirname, 'nowhere.js'),
    );
    const error: unknown = await textOf(broken, 'x', 'text/plain').catch((thrown: unknown) => thrown);
    expect(error).not.toBeInstanceOf(ExtractionError);
    expect(error).toMatchObject({ code: expect.stringMatching(/MODULE_NOT_FOUND$/) as string });
  });

  it('can be closed while it reads', async () => {
    const closed = extractorWith({});
    const extraction = closed.extract(endlessWork(), new KeptChunks(), NEVER);
    const refused = expect(extraction).rejects.toThrow('closed');
    await closed.close();
    await refused;
  });
});
