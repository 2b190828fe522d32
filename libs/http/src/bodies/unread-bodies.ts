import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Response } from 'express';
import { hasBody } from './body-reader';

/**
 * Waits until the client can receive more of a response. Returns false if the connection is closed; closes it if the client
 * reads nothing for `stallMillis`.
 */
export async function drained(response: Response, stallMillis: number): Promise<boolean> {
  if (response.destroyed) return false;
  if (!response.writableNeedDrain) return true;
  const stop = new AbortController();
  const timeout = setTimeout(() => response.destroy(), stallMillis);
  await Promise.race([
    once(response, 'drain', { signal: stop.signal }),
    once(response, 'close', { signal: stop.signal }),
  ]).finally(() => {
    clearTimeout(timeout);
    stop.abort();
  });
  return !response.destroyed;
}

/** Of a pipeline, for the end of the response that it writes. */
const PIPELINE_LISTENERS = 7;

/** Sends a stream as the body of a response, no faster than the client reads. Rejects if one of them breaks off, and ends the other. */
export async function streamTo(response: ServerResponse, content: Readable): Promise<void> {
  // With the few that each response has they are more than Node warns of. All of them go with the response.
  response.setMaxListeners(response.getMaxListeners() + PIPELINE_LISTENERS);
  await pipeline(content, response);
}

/** Disconnects a client that reads nothing of the rest of its answer for so long, or for twice as long if it has just read some. */
export function endStalled(response: Response, stallMillis: number): void {
  response.setTimeout(stallMillis, () => response.destroy());
  // Before Node sets the time for the next request, which it does not if that has arrived.
  response.prependOnceListener('finish', () => response.socket?.setTimeout(0));
}

/** How long a connection stays open after an answer to an unread body. A client that is still sending needs this time to read the answer. */
const LINGER_MILLIS = 5_000;

/**
 * Leaves bodies to the handlers that want them: Node has one time limit for all requests of a server, and would ask each client
 * with `Expect: 100-continue` to send before anybody has looked at its credential. The reader of a body has its own limit and
 * calls `writeContinue`.
 */
export function leaveBodiesUnread(server: Server): void {
  server.requestTimeout = 0;
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response),
  );
}

/** Middleware: discards what arrives of a body after the answer, and closes connections that still send one long after it. */
export function hangUpUnread(lingerMillis = LINGER_MILLIS) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    // Read the socket now: an aborted request no longer has one.
    const { socket } = request;
    if (hasBody(request)) response.once('finish', () => hangUp(request, socket, lingerMillis));
    next();
  };
}

function hangUp(request: IncomingMessage, socket: Socket, afterMillis: number): void {
  if (request.complete) return;
  // Node does so itself unless a handler has begun to read. The next request of the connection comes behind the body.
  request.unpipe().resume();
  // After `Connection: close` Node destroys the socket as soon as the answer is sent. What arrives then is answered with a
  // reset, which takes the answer away from the client. Without this listener only the sending side is closed.
  socket.off('finish', socket.destroy);
  setTimeout(() => request.complete || socket.destroy(), afterMillis).unref();
}
