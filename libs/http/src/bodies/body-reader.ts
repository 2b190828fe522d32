import { type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import {
  BadRequestException,
  PayloadTooLargeException,
  RequestTimeoutException,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import { type Request, type Response } from 'express';
import { type BodyMemory } from './body-memory';
import { CollectedBytes } from './collected-bytes';

export interface BodyTimeLimits {
  /** Longest pause between two pieces of a body. */
  stallMillis: number;
  /** Longest time for a whole body to arrive. */
  arrivalMillis: number;
}

/** Node's own default for a whole request is 300 s. A client that is slower than a byte in 30 s is not sending any more. */
const BODY_TIME_LIMITS: BodyTimeLimits = { stallMillis: 30_000, arrivalMillis: 300_000 };

const DECODERS: Record<string, () => NodeJS.ReadWriteStream & Readable> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Whether a request announces a body. */
export const hasBody = ({ headers }: Pick<Request, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Reads bodies into memory within the limits of size, time and memory. */
export class BodyReader {
  constructor(
    private readonly memory: BodyMemory,
    private readonly timeLimits = BODY_TIME_LIMITS,
  ) {}

  /**
   * Reads a whole body, decompressed. Throws 413 above the limit (before reading, if the length is announced), 415 for an
   * unknown content encoding, 408 for a body that stalls, 400 for one that breaks off, 429 or 503 without memory.
   */
  async read(request: Request, response: Response, limitBytes: number): Promise<Buffer> {
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge();
    if (request.destroyed) throw aborted();
    const source = this.decoded(request);
    if (request.headers.expect !== undefined) response.writeContinue();
    const holder = holderOf(request);
    let heldBytes = 0;
    response.once('close', () => this.memory.release(holder, heldBytes));
    const onLate = () => response.setHeader('Connection', 'close');
    return this.collect(request, source, onLate, (bytes) => {
      if (heldBytes + bytes > limitBytes) throw tooLarge();
      this.memory.hold(holder, bytes);
      heldBytes += bytes;
    });
  }

  private decoded(request: Request): Readable {
    const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
    if (encoding === 'identity') return request;
    const createDecoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
    if (!createDecoder) throw new UnsupportedMediaTypeException('the content encoding is not supported');
    return request.pipe(createDecoder());
  }

  private collect(
    request: Request,
    source: Readable,
    onLate: () => void,
    hold: (bytes: number) => void,
  ): Promise<Buffer> {
    const collected = new CollectedBytes();
    return new Promise<Buffer>((resolve, reject) => {
      const fail = (error: unknown) => {
        stop();
        reject(error as Error);
      };
      const stopTimers = this.limitTime(request, () => {
        onLate();
        fail(new RequestTimeoutException('the request took too long to arrive'));
      });
      const onData = (chunk: Buffer) => {
        try {
          hold(chunk.length);
          collected.add(chunk);
        } catch (error) {
          fail(error);
        }
      };
      const onEnd = () => {
        stop();
        resolve(collected.take());
      };
      const onError = () => fail(new BadRequestException('the body cannot be decompressed'));
      const onAborted = () => fail(aborted());
      const stop = () => {
        stopTimers();
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

  /** Calls `onLate` if the body stalls or takes too long. Returns the function that ends the watch. */
  private limitTime(request: Request, onLate: () => void): () => void {
    const { stallMillis, arrivalMillis } = this.timeLimits;
    const arrival = setTimeout(onLate, arrivalMillis);
    const stall = setTimeout(onLate, stallMillis);
    const restart = () => stall.refresh();
    request.on('data', restart);
    return () => {
      clearTimeout(arrival);
      clearTimeout(stall);
      request.off('data', restart);
    };
  }
}

const aborted = () => new BadRequestException('the request was aborted');
const tooLarge = () => new PayloadTooLargeException('the body is too large');

/** Whose share of the memory a body takes: the address, or the account for which one of the platform's own services asks. */
function holderOf(request: Request & { caller?: { accountId: string; service?: string } }): string {
  const { caller } = request;
  return caller?.service === undefined ? (request.ip ?? '') : caller.accountId;
}
