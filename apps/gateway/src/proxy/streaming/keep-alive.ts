import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Response } from 'express';
import { PROXY_CONFIG, type ProxyConfig } from '../proxy.config';

/** A comment, which clients of server-sent events ignore. */
const COMMENT = ': keep-alive\n\n';
/** Looks at all streams in an interval: a pause is noticed at most this part of it too late. Chosen: more precision helps no proxy. */
const LOOKS = 5;

/** Begins a stream unless that has happened. */
export function beginStream(response: Response, status: number, contentType: string): void {
  if (response.headersSent) return;
  response.statusCode = status;
  response
    .setHeader('Content-Type', contentType)
    .setHeader('Cache-Control', 'no-cache, no-transform')
    .setHeader('X-Accel-Buffering', 'no');
}

interface KeptStream {
  /** What is sent in a pause: whole events. */
  sign: string;
  writtenBytes: number;
  silentLooks: number;
}

/**
 * Sends a sign of life in the pauses of streams, so that proxies and clients do not give them up. One timer looks at what the connections
 * have sent: nothing has to be done for each call or event.
 */
@Injectable()
export class KeepAlive implements OnApplicationShutdown {
  private readonly streams = new Map<Response, KeptStream>();
  private readonly timer: NodeJS.Timeout;

  constructor(@Inject(PROXY_CONFIG) { keepAliveSeconds }: ProxyConfig) {
    this.timer = setInterval(() => this.look(), (keepAliveSeconds * 1000) / LOOKS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /**
   * Watches a stream, of which only whole events are written, from before its head to its end. A pause before the head sends it: what fails
   * afterwards has to be told as an event.
   */
  watch(response: Response, sign = COMMENT): void {
    this.streams.set(response, { sign, writtenBytes: writtenBy(response), silentLooks: 0 });
  }

  unwatch(response: Response): void {
    this.streams.delete(response);
  }

  private look(): void {
    for (const [response, stream] of this.streams) {
      const writtenBytes = writtenBy(response);
      const isSilent = writtenBytes === stream.writtenBytes;
      stream.silentLooks = isSilent ? stream.silentLooks + 1 : 0;
      stream.writtenBytes = writtenBytes;
      // A client that does not read what it has been sent is not sent more.
      if (stream.silentLooks < LOOKS || response.writableEnded || response.writableLength > 0) continue;
      beginStream(response, 200, 'text/event-stream; charset=utf-8');
      response.write(stream.sign);
      stream.silentLooks = 0;
    }
  }
}

const writtenBy = ({ socket }: Response): number => socket?.bytesWritten ?? 0;
