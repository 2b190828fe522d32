import { type IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import { type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, type Zlib } from 'node:zlib';
import {
  BadRequestException,
  HttpException,
  PayloadTooLargeException,
  RequestTimeoutException,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import { type Request, type Response } from 'express';
import {
  type ArrivalLimits,
  type BodyMemory,
  GRACE_MILLIS,
  type HeldBody,
  LEAST_BYTES_PER_SECOND,
  watchArrival,
} from './body-memory';

const HEXTETS = 8;
/** Hextets of an IPv6 network, which its holder can fill with addresses at will. */
const NETWORK_HEXTETS = 4;
const MAPPED = /^0*:(?:0*:)*ffff:(.+)$/;
/** A proxy can forward any text as an address; longer than every address. */
const MAX_ADDRESS_CHARS = 64;

/**
 * What counts as one sender: an IPv4 address (also one mapped to IPv6), or the /64 network of an IPv6 address. Returns what is
 * neither as it is, shortened, and '' for an unknown address. `accounts.address_network` of the database does the same.
 */
export function addressGroup(address: string | undefined): string {
  if (address === undefined) return '';
  if (!address.includes(':')) return address.slice(0, MAX_ADDRESS_CHARS);
  const [bare = ''] = address.toLowerCase().split('%');
  if (!isIPv6(bare)) return address.slice(0, MAX_ADDRESS_CHARS);
  return mappedIpv4(bare) ?? `${network(bare)}/64`;
}

function mappedIpv4(address: string): string | undefined {
  const rest = MAPPED.exec(address)?.[1];
  if (rest === undefined) return undefined;
  if (isIPv4(rest)) return rest;
  const parts = rest.split(':');
  if (parts.length !== 2) return undefined;
  const [high, low] = parts.map((part) => parseInt(part, 16)) as [number, number];
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** The first half of an address, in the short form of RFC 5952. */
function network(address: string): string {
  const [left = '', right] = address.split('::');
  const head = left === '' ? [] : left.split(':');
  // Hextets before an embedded IPv4 address are never in its place: that is the last two of eight.
  const tail = right ? right.split(':') : [];
  const tailHextets = tail.length + (tail.at(-1)?.includes('.') ? 1 : 0);
  const missing = right === undefined ? 0 : HEXTETS - head.length - tailHextets;
  const hextets = [...head, ...Array<string>(missing).fill('0'), ...tail]
    .slice(0, NETWORK_HEXTETS)
    .map((hextet) => parseInt(hextet, 16));
  while (hextets.at(-1) === 0) hextets.pop();
  return `${hextets.map((hextet) => hextet.toString(16)).join(':')}::`;
}

const FIRST_BYTES = 4096;

/**
 * The bytes of a body, in one buffer that doubles. A chunk of the network is a slice of 64 KiB: keeping it, however short it is,
 * would keep all of that.
 */
class CollectedBytes {
  /** Bytes so far. */
  length = 0;
  private buffer = Buffer.alloc(0);

  /**
   * @param mostBytes the announced length of the body, or its limit
   * @param reserve called before the buffer grows, with the bytes that it grows by; may throw
   */
  constructor(
    private readonly mostBytes: number,
    private readonly reserve: (bytes: number) => void,
  ) {}

  /** Adds bytes. The sum must not exceed `mostBytes`. */
  add(chunk: Buffer): void {
    const needed = this.length + chunk.length;
    if (needed > this.buffer.length) this.grow(needed);
    chunk.copy(this.buffer, this.length);
    this.length = needed;
  }

  take(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  private grow(needed: number): void {
    const size = Math.min(this.mostBytes, Math.max(needed, 2 * this.buffer.length, FIRST_BYTES));
    this.reserve(size - this.buffer.length);
    const grown = Buffer.allocUnsafe(size);
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }
}

type Decoder = Transform & Zlib;

const DECODERS: Record<string, () => Decoder> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Most bytes that a compressed byte may become, in a body of more than FREE_BYTES. JSON and text become 3 to 20 times shorter; the
 * formats reach 1,000 times and more, with repetitions.
 */
const MAX_RATIO = 100;
const FREE_BYTES = 1_048_576;

/** Returns what makes a decoder; undefined for a body that is not compressed. Throws 415 for an unknown content encoding. */
export function decoderOf(request: Request): (() => Decoder) | undefined {
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity') return undefined;
  if (Object.hasOwn(DECODERS, encoding)) return () => withRatio(DECODERS[encoding]!());
  throw new UnsupportedMediaTypeException('the content encoding is not supported');
}

/** The decoder fails with 413 when what has arrived so far becomes too long. */
function withRatio(decoder: Decoder): Decoder {
  let decodedBytes = 0;
  decoder.on('data', (chunk: Buffer) => {
    decodedBytes += chunk.length;
    if (decodedBytes > FREE_BYTES && decodedBytes > MAX_RATIO * decoder.bytesWritten)
      decoder.destroy(new PayloadTooLargeException(`the body is compressed more than ${MAX_RATIO} times`));
  });
  return decoder;
}

/** Node's own default for a whole request is 300 s. */
const ARRIVAL_LIMITS: ArrivalLimits = {
  stallMillis: GRACE_MILLIS,
  graceMillis: GRACE_MILLIS,
  leastBytesPerSecond: LEAST_BYTES_PER_SECOND,
  totalMillis: 300_000,
};

/** Whether a request announces a body. */
export const hasBody = ({ headers }: Pick<Request, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Throws 400 if the client has left. Its body no longer counts as held memory then, so nobody may go on with it. */
export function requireConnected(response: Response): void {
  if (response.destroyed || response.req.socket.destroyed) throw aborted();
}

const HELD = Symbol('held body');

/** Counts memory for what is made of the body of a request, until its answer ends. Throws 429 and 503 without memory. */
export function holdMore(request: IncomingMessage & { [HELD]?: HeldBody }, bytes: number): void {
  request[HELD]?.growBeyond(bytes);
}

/** Does work that needs the body of a request also when its client has left: so long it counts as held memory. */
export async function keepingBody<T>(
  request: IncomingMessage & { [HELD]?: HeldBody },
  work: () => Promise<T>,
): Promise<T> {
  const letGo = request[HELD]?.keep();
  try {
    return await work();
  } finally {
    letGo?.();
  }
}

/** Reads bodies into memory within the limits of size, time and memory. */
export class BodyReader {
  constructor(
    private readonly memory: BodyMemory,
    private readonly arrivalLimits = ARRIVAL_LIMITS,
  ) {}

  /**
   * Reads a whole body, decompressed. Throws 413 above the limit (before reading, if the length is announced) and for one that is
   * compressed too much, 415 for an unknown content encoding, 408 for a body that stalls or takes too long, 400 for one that
   * breaks off, 429 or 503 without memory.
   */
  async read(request: Request, response: Response, limitBytes: number): Promise<Buffer> {
    const announcedBytes = Number(request.headers['content-length'] ?? 0);
    if (announcedBytes > limitBytes) throw tooLarge();
    const createDecoder = decoderOf(request);
    if (request.headers.expect !== undefined) response.writeContinue();
    // Node hands a body over after the microtasks of its headers, even if both have arrived together. Not for chunks: thousands of
    // a byte each would be kept until then.
    if (announcedBytes > 0 && !request.complete) await new Promise((resolve) => setImmediate(resolve));
    if (request.destroyed) throw aborted();
    const held = this.holdUntilAnswer(request, response, limitBytes);
    if (createDecoder)
      return this.collect(request, response, request.pipe(createDecoder()), limitBytes, held);
    if (request.complete) return copyOfArrived(request, limitBytes, held);
    return this.collect(request, response, request, announcedBytes || limitBytes, held);
  }

  /** The memory of the request's body. It is released when the answer or the connection ends, and nobody keeps the body. */
  private holdUntilAnswer(
    request: Request & { [HELD]?: HeldBody },
    response: Response,
    mostBytes: number,
  ): HeldBody {
    const held = this.memory.begin(holderOf(request), mostBytes);
    request[HELD] = held;
    response.once('close', () => held.answered());
    return held;
  }

  private collect(
    request: Request,
    response: Response,
    source: Readable,
    mostBytes: number,
    held: HeldBody,
  ): Promise<Buffer> {
    const collected = new CollectedBytes(mostBytes, (bytes) => {
      if (held.isReleased) throw aborted();
      held.grow(bytes);
    });
    return new Promise<Buffer>((resolve, reject) => {
      const fail = (error: unknown) => {
        stop();
        reject(error as Error);
      };
      const stopWatch = watchArrival(request, this.arrivalLimits, () => {
        response.setHeader('Connection', 'close');
        fail(new RequestTimeoutException('the request took too long to arrive'));
      });
      const onData = (chunk: Buffer) => {
        try {
          if (collected.length + chunk.length > mostBytes) throw tooLarge();
          collected.add(chunk);
        } catch (error) {
          fail(error);
        }
      };
      const onEnd = () => {
        stop();
        held.arrive();
        resolve(collected.take());
      };
      const onError = (error: Error) =>
        fail(
          error instanceof HttpException ? error : new BadRequestException('the body cannot be decompressed'),
        );
      const onAborted = () => fail(aborted());
      const stop = () => {
        stopWatch();
        source.off('data', onData).off('end', onEnd);
        request.off('aborted', onAborted);
        // The rest of the body is not kept.
        request.unpipe();
        if (source !== request) source.destroy();
        if (!request.complete) request.resume();
      };
      source.on('data', onData).once('end', onEnd).once('error', onError);
      request.once('aborted', onAborted);
    });
  }
}

/** Copies a body that has arrived with its headers: the buffer of the network is larger, and would be kept. */
function copyOfArrived(request: Request, limitBytes: number, held: HeldBody): Buffer {
  const arrived = (request.read() as Buffer | null) ?? Buffer.alloc(0);
  if (arrived.length > limitBytes) throw tooLarge();
  held.arrive();
  held.grow(arrived.length);
  return Buffer.from(arrived);
}

const aborted = () => new BadRequestException('the request was aborted');
const tooLarge = () => new PayloadTooLargeException('the body is too large');

/** Whose share of the memory a body takes: the account of the caller, or the address of a request without one. */
export function holderOf(request: Request & { caller?: { accountId: string } }): string {
  return request.caller?.accountId ?? addressGroup(request.ip);
}
