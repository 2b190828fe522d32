import { createHash } from 'node:crypto';
import { type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type ObjectStorage } from '@inference/storage';

const LINE_FEED = 0x0a;
/** Chosen: as many lines as fit into one statement that inserts them, about 1 MB. */
const BATCH_LINES = 1_000;

/** What was found in a stored file. */
export interface ReadFile {
  bytes: number;
  sha256: string;
  contentSha256: string;
}

/** Reads a stored file of events, batch by batch. Throws an error if it is not compressed as a whole. */
export async function readEventFile(
  storage: ObjectStorage,
  key: string,
  onLines: (lines: string[]) => void | Promise<void>,
): Promise<ReadFile> {
  const stored = createHash('sha256');
  const content = createHash('sha256');
  let bytes = 0;
  await pipeline(
    await storage.read(key),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        stored.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    createGunzip(),
    async (chunks: AsyncIterable<Buffer>) => {
      let batch: string[] = [];
      for await (const line of linesOf(chunks, (chunk) => content.update(chunk))) {
        batch.push(line);
        if (batch.length < BATCH_LINES) continue;
        await onLines(batch);
        batch = [];
      }
      if (batch.length > 0) await onLines(batch);
    },
  );
  return { bytes, sha256: stored.digest('hex'), contentSha256: content.digest('hex') };
}

/** Only a line feed ends a line: texts in JSON may hold the other line separators of Unicode. */
async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  onChunk: (chunk: Buffer) => void,
): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  for await (const chunk of chunks) {
    onChunk(chunk);
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      const line = chunk.subarray(start, end);
      yield rest.length > 0 ? Buffer.concat([...rest, line]).toString() : line.toString();
      rest = [];
      start = end + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  if (rest.length > 0) throw new Error('the last line does not end');
}

/** A stored text; null if there is none. */
export async function readText(storage: ObjectStorage, key: string): Promise<string | null> {
  if ((await storage.sizeOf(key)) === undefined) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of (await storage.read(key)) as AsyncIterable<Buffer> & Readable) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
