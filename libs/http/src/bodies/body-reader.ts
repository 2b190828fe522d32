import { type Socket } from 'node:net';
import { type Readable } from 'node:stream';
import {
  BadRequestException,
  HttpException,
  PayloadTooLargeException,
  RequestTimeoutException,
} from '@nestjs/common';
import { type Request, type Response } from 'express';
import { type BodyMemory } from './body-memory';
import { CollectedBytes } from './collected-bytes';
import { decoderOf } from './decompression';

export interface BodyTimeLimits {
  /** Longest pause between two pieces of a body. */
  stallMillis: number;
  /** Longest time for a whole body to arrive. */
  arrivalMillis: number;
}

/** Node's own default for a whole request is 300 s. A client that is slower than a byte in 30 s is not sending any more. */
const BODY_TIME_LIMITS: BodyTimeLimits = { stallMillis: 30_000, arrivalMillis: 300_000 };

/** Whether a request announces a body. */
export const hasBody = ({ headers }: Pick<Request, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const releasesOfConnections = new WeakMap<Socket, Set<() => void>>();

function releaseAll(this: Socket): void {
  releasesOfConnections.get(this)?.forEach((release) => release());
}

/** Runs `release` when the connection closes. It has one listener, however many of its requests wait behind one another. */
function onClose(socket: Socket, release: () => void): void {
  const known = releasesOfConnections.get(socket) ?? new Set();
  if (known.size === 0) socket.on('close', releaseAll);
  releasesOfConnections.set(socket, known.add(release));
}

function offClose(socket: Socket, release: () => void): void {
  const known = releasesOfConnections.get(socket);
  if (known?.delete(release) && known.size === 0) socket.off('close', releaseAll);
}

/** Reads bodies into memory within the limits of size, time and memory. */
export class BodyReader {
  constructor(
    private readonly memory: BodyMemory,
    private readonly timeLimits = BODY_TIME_LIMITS,
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
    const reserve = this.reserveUntilAnswer(request, response);
    if (createDecoder)
      return this.collect(request, response, request.pipe(createDecoder()), limitBytes, reserve);
    if (request.complete) return copyOfArrived(request, limitBytes, reserve);
    return this.collect(request, response, request, announcedBytes || limitBytes, reserve);
  }

  /** Returns a function that takes memory for a body. The memory is released when the answer or the connection ends. */
  private reserveUntilAnswer(request: Request, response: Response): (bytes: number) => void {
    // Read the socket now: an aborted request no longer has one.
    const { socket } = request;
    const holder = holderOf(request);
    let heldBytes = 0;
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      offClose(socket, release);
      this.memory.release(holder, heldBytes);
    };
    // Node emits no `close` for a response that still waits behind another one of its connection.
    onClose(socket, release);
    response.once('close', release);
    return (bytes) => {
      if (isReleased) throw aborted();
      this.memory.hold(holder, bytes);
      heldBytes += bytes;
    };
  }

  private collect(
    request: Request,
    response: Response,
    source: Readable,
    mostBytes: number,
    reserve: (bytes: number) => void,
  ): Promise<Buffer> {
    const collected = new CollectedBytes(mostBytes, reserve);
    return new Promise<Buffer>((resolve, reject) => {
      const fail = (error: unknown) => {
        stop();
        reject(error as Error);
      };
      const stopTimer = this.limitTime(request, () => {
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
        resolve(collected.take());
      };
      const onError = (error: Error) =>
        fail(
          error instanceof HttpException ? error : new BadRequestException('the body cannot be decompressed'),
        );
      const onAborted = () => fail(aborted());
      const stop = () => {
        stopTimer();
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
    const onData = () => stall.refresh();
    request.on('data', onData);
    return () => {
      clearTimeout(arrival);
      clearTimeout(stall);
      request.off('data', onData);
    };
  }
}

/** Copies a body that has arrived with its headers: the buffer of the network is larger, and would be kept. */
function copyOfArrived(request: Request, limitBytes: number, reserve: (bytes: number) => void): Buffer {
  const arrived = (request.read() as Buffer | null) ?? Buffer.alloc(0);
  if (arrived.length > limitBytes) throw tooLarge();
  reserve(arrived.length);
  return Buffer.from(arrived);
}

const aborted = () => new BadRequestException('the request was aborted');
const tooLarge = () => new PayloadTooLargeException('the body is too large');

/** Whose share of the memory a body takes: the address, or the account for which one of the platform's own services asks. */
export function holderOf(request: Request & { caller?: { accountId: string; service?: string } }): string {
  const { caller } = request;
  return caller?.service === undefined ? (request.ip ?? '') : caller.accountId;
}
