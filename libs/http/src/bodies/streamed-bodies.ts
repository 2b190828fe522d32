import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { hasBody } from './json-media-type.middleware';

/** How long a connection stays open after an answer to an unread body. A client that is still sending needs this time to read the answer. */
const LINGER_MILLIS = 5_000;
/** Time limit for all other bodies to arrive; Node's own default. */
const ARRIVAL_MILLIS = 300_000;
const LATE = JSON.stringify({ error: 'the request took too long to arrive' });

type IsStreamed = (request: IncomingMessage) => boolean;

/** Returns a predicate for requests whose path, without query, has a streamed body. */
export const streamedBy =
  (paths: RegExp | undefined): IsStreamed =>
  ({ url = '' }) =>
    paths?.test(url.split('?', 1)[0] ?? '') ?? false;

/**
 * Removes the time limit of streamed bodies. Node has one limit for all requests of a server, so it is disabled here and
 * `limitArrival` enforces it for all other requests.
 */
export function serveStreamedBodies(server: Server, isStreamed: IsStreamed): void {
  server.requestTimeout = 0;
  // A client with `Expect: 100-continue` is refused before it sends: the reader of the body calls `writeContinue`.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!isStreamed(request)) response.writeContinue();
    server.emit('request', request, response);
  });
}

/** Middleware: answers 408 to a body that does not arrive in time, and closes connections that still send after the answer. */
export function limitArrival(isStreamed: IsStreamed, limits = { ARRIVAL_MILLIS, LINGER_MILLIS }) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    if (hasBody(request)) {
      // Read the socket now: an aborted request no longer has one.
      const { socket } = request;
      response.once('finish', () => hangUpUnread(request, socket, limits.LINGER_MILLIS));
      if (!isStreamed(request)) endLate(request, response, limits.ARRIVAL_MILLIS);
    }
    next();
  };
}

function hangUpUnread(request: IncomingMessage, socket: Socket, afterMillis: number): void {
  if (request.complete) return;
  // After `Connection: close` Node destroys the socket as soon as the answer is sent. What arrives then is answered with a
  // reset, which takes the answer away from the client. Without this listener only the sending side is closed.
  socket.off('finish', socket.destroy);
  setTimeout(() => request.complete || socket.destroy(), afterMillis).unref();
}

function endLate(request: IncomingMessage, response: ServerResponse, afterMillis: number): void {
  const timer = setTimeout(() => {
    if (request.complete || response.headersSent) return;
    response
      .writeHead(408, { 'Content-Type': 'application/json; charset=utf-8', Connection: 'close' })
      .end(LATE);
  }, afterMillis);
  request.once('close', () => clearTimeout(timer));
}
