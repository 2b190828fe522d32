import type { ServerResponse } from 'node:http';
import { type ApiError, errorJson } from './errors';
import { nextId } from './ids';

/** Sends a whole JSON answer. `extraHeaders` alternates names and values. */
export function sendJson(
  res: ServerResponse,
  status: number,
  json: string,
  extraHeaders: string[] = [],
): void {
  res.writeHead(status, jsonHeaders(Buffer.byteLength(json), extraHeaders));
  res.end(json);
}

/** Sends a refusal in OpenAI's error body. */
export function sendError(res: ServerResponse, error: ApiError, extraHeaders: string[] = []): void {
  sendJson(res, error.status, errorJson(error), extraHeaders);
}

/** Announces a JSON answer of `bytes` bytes of which the caller writes a part only. */
export function beginJson(res: ServerResponse, bytes: number): void {
  res.writeHead(200, jsonHeaders(bytes, []));
}

/** Begins a stream of server-sent events. */
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

/** Closes the connection once everything written so far has left the process. */
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
