import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { hasBody } from './media-type.middleware';

/** After an answer that left the body unread; a client that still sends would otherwise lose the answer with the connection. */
const LINGER_MILLIS = 5_000;
/** For every other body to arrive, as Node itself has it by default. */
const ARRIVAL_MILLIS = 300_000;
const LATE = JSON.stringify({ error: 'the request took too long to arrive' });

type IsStreamed = (request: IncomingMessage) => boolean;

/** Whether the path, without its query, is one of those whose bodies are streamed. */
export const streamedBy =
  (paths: RegExp | undefined): IsStreamed =>
  ({ url = '' }) =>
    paths?.test(url.split('?', 1)[0] ?? '') ?? false;

/**
 * Lets the bodies of some paths take their time. Node can limit the arrival of a request for all of a server's requests
 * or for none; so it is lifted here, and set again for all others by `limitArrival`.
 */
export function serveStreamedBodies(server: Server, isStreamed: IsStreamed): void {
  server.requestTimeout = 0;
  // A client that asks before it sends learns of a refusal first: whoever reads the body says `writeContinue`.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!isStreamed(request)) response.writeContinue();
    server.emit('request', request, response);
  });
}

/** 408 for a body that has not arrived in time; one that is still under way after the answer is hung up on soon. */
export function limitArrival(isStreamed: IsStreamed, limits = { ARRIVAL_MILLIS, LINGER_MILLIS }) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    if (hasBody(request)) {
      // A request whose reader gave it up has no socket any more.
      const { socket } = request;
      response.once('finish', () => hangUpUnread(request, socket, limits.LINGER_MILLIS));
      if (!isStreamed(request)) endLate(request, response, limits.ARRIVAL_MILLIS);
    }
    next();
  };
}

function hangUpUnread(request: IncomingMessage, socket: Socket, afterMillis: number): void {
  if (!request.complete) setTimeout(() => request.complete || socket.destroy(), afterMillis).unref();
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
