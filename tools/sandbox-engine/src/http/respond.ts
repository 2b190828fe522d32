import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type ApiError, errorJson } from './errors';

// A random prefix per process and a counter: unique across restarts without new random bytes for each request.
const processPart = randomBytes(6).toString('hex');
let issued = 0;

/** A unique id such as `chatcmpl-9f2c6a41d07b0000001z`. */
export function nextId(prefix: string): string {
  issued += 1;
  return prefix + processPart + issued.toString(36).padStart(8, '0');
}

/** The current Unix time in seconds, for OpenAI's `created`. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Sends a complete JSON answer. `extraHeaders` alternates names and values. */
export function sendJson(
  res: ServerResponse,
  status: number,
  json: string,
  extraHeaders: string[] = [],
): void {
  res.writeHead(status, jsonHeaders(Buffer.byteLength(json), extraHeaders));
  res.end(json);
}

/** Sends an error response in OpenAI's format. */
export function sendError(res: ServerResponse, error: ApiError, extraHeaders: string[] = []): void {
  sendJson(res, error.status, errorJson(error), extraHeaders);
}

/** Sends the headers of a JSON answer of `bytes` bytes. The caller writes only a part of the body. */
export function beginJson(res: ServerResponse, bytes: number): void {
  res.writeHead(200, jsonHeaders(bytes, []));
}

/** Sends the headers of a stream of server-sent events. */
export function beginEvents(res: ServerResponse): void {
  res.writeHead(200, [
    'Content-Type',
    'text/event-stream; charset=utf-8',
    'Cache-Control',
    'no-cache',
    'X-Request-Id',
    nextId('req_'),
  ]);
}

/** Closes the connection after all written data has been passed to the system. */
export function dropConnection(res: ServerResponse): void {
  const { socket } = res;
  socket?.write('', () => socket.destroy());
}

function jsonHeaders(bytes: number, extra: string[]): string[] {
  const own = [
    'Content-Type',
    'application/json',
    'Content-Length',
    String(bytes),
    'X-Request-Id',
    nextId('req_'),
  ];
  return extra.length === 0 ? own : [...own, ...extra];
}
