import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { type HeldAnswer } from './answer-memory';
import { type UpstreamCall } from './upstream-call';
import { CallCancelledError } from './upstream.errors';

const TYPE = /^\s*([^\s;,]+)/;

/** The media type of a header in lower case and without its parameters (RFC 9110, 8.3.1); empty if there is none. */
const mediaTypeOf = (contentType: string): string => TYPE.exec(contentType)?.[1]?.toLowerCase() ?? '';

export const isEventStream = (contentType: string): boolean =>
  mediaTypeOf(contentType) === 'text/event-stream';

export const isJson = (contentType: string): boolean => /[/+]json$/.test(mediaTypeOf(contentType));

/** The header with its media type in lower case: not every client compares types as it should. */
export const inLowerCase = (contentType: string): string =>
  contentType === contentType.toLowerCase()
    ? contentType
    : contentType.replace(TYPE, (type) => type.toLowerCase());

/** The body of an upstream's answer as its content is, without what was done to it for the way. */
export interface AnswerBody extends AsyncIterator<Buffer> {
  /** The whole body, as soon as there is memory for it. */
  bytes(memory: HeldAnswer): Promise<Buffer>;
}

/** Most bytes of a whole answer that was compressed. Chosen: more than images in base64 have; a small body could become many gigabytes. */
const MOST_BYTES = 256 * 1024 * 1024;
const ZLIB_METHOD = 8;
const METHOD_BITS = 0x0f;

const DECODERS: Record<string, (first: Buffer) => Transform> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  // RFC 9110 says zlib; some servers send the data without its frame.
  deflate: (first) =>
    (first[0] ?? 0) % (METHOD_BITS + 1) === ZLIB_METHOD ? createInflate() : createInflateRaw(),
  br: () => createBrotliDecompress(),
};

/** The codings of a header in the order in which they are taken off (RFC 9110, 8.4). */
const codingsOf = (header: string): string[] =>
  header
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .reverse();

/**
 * Takes the content codings off an answer. Nothing asks for them, but servers and proxies before them compress answers all the same.
 * Throws for a coding that is not known.
 */
export async function decodedBody(
  call: UpstreamCall,
  header: string | string[] | undefined,
): Promise<AnswerBody> {
  if (header === undefined) return call;
  const codings = codingsOf(String(header));
  if (codings.length === 0) return call;
  const unknown = codings.find((coding) => !Object.hasOwn(DECODERS, coding));
  if (unknown === undefined) return new DecodedBody(await decode(call, codings));
  call.abort();
  throw new Error(`the content coding ${JSON.stringify(unknown)} is not known`);
}

async function decode(call: UpstreamCall, codings: string[]): Promise<AsyncIterator<Buffer>> {
  const first = await call.next();
  const source = Readable.from(withFirst(first, call), { objectMode: false });
  const decoders = codings.map((coding) => DECODERS[coding]!(first.done ? Buffer.alloc(0) : first.value));
  // The last decoder hands an error on to its reader.
  const last = pipeline([source, ...decoders], () => undefined) as unknown as Transform;
  return last[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
}

async function* withFirst(
  first: IteratorResult<Buffer>,
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer> {
  for (let chunk = first; !chunk.done; chunk = await rest.next()) yield chunk.value;
}

class DecodedBody implements AnswerBody {
  constructor(private readonly chunks: AsyncIterator<Buffer>) {}

  next(): Promise<IteratorResult<Buffer>> {
    return this.chunks.next();
  }

  async bytes(memory: HeldAnswer): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let length = 0;
    for (let chunk = await this.next(); !chunk.done; chunk = await this.next()) {
      chunks.push(chunk.value);
      length += chunk.value.length;
      if (length > MOST_BYTES) throw new Error('the answer is too long');
      await memory.arrived(length);
      if (memory.isReleased) throw new CallCancelledError();
    }
    return Buffer.concat(chunks);
  }
}

/** In how many milliseconds an upstream may be called again, by `Retry-After-Ms` or `Retry-After`; null if it does not say. */
export function retryAfterMillis(
  headers: Record<string, string | string[] | undefined>,
  nowMillis: number,
): number | null {
  const exact = headers['retry-after-ms'];
  if (typeof exact === 'string' && /^\d+(\.\d+)?$/.test(exact)) return Number(exact);
  const value = headers['retry-after'];
  if (typeof value !== 'string') return null;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - nowMillis);
}
