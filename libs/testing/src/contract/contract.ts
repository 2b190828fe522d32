import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { RefusedCalls } from '@inference/http';
import { type INestApplication } from '@nestjs/common';
import { type Request } from 'express';
import { isDocumentRoute } from '../routes/registered-routes';
import { readApiDocument } from './api-document';
import { recordComparison } from './contract-results';
import { ResponseChecker } from './response-checker';

const KEY = Symbol.for('response checkers');

/**
 * Compares responses of a service with its API document. There is one for all test files of a worker, because the schemas of a
 * document take a third of a second to compile.
 */
function checkerOf(service: string): ResponseChecker {
  // The environment of the tests makes the map; everything else that a test file adds to `globalThis` is removed at its end.
  const checkers = ((globalThis as { [KEY]?: Map<string, ResponseChecker> })[KEY] ??= new Map());
  const known = checkers.get(service) ?? new ResponseChecker(readApiDocument(service));
  checkers.set(service, known);
  return known;
}

/** A stub that reads nothing and has no counters. */
const UNLIMITED_SERVICE = 'agent-environments';

/** A larger body is not checked. */
const MAX_BODY_BYTES = 4_000_000;

/**
 * Compares every response of a running app with its API document, whichever client asked. What differs fails the test that is
 * running (see `fail-on-faults.ts`).
 * @throws if nothing limits the requests for the document
 */
export function holdToContract(app: INestApplication, service: string): void {
  if (!app.get(RefusedCalls).isLimited && service !== UNLIMITED_SERVICE)
    throw new Error(`${service} does not count the requests for its document.`);
  const checker = checkerOf(service);
  const server = app.getHttpServer() as Server;
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const chunks = recordBody(response);
    response.once('finish', () => {
      const { route } = request as Request;
      if (!route || request.method === 'OPTIONS') return;
      const { path } = route as { path: string };
      if (isDocumentRoute(path)) return;
      const body = Buffer.concat(chunks);
      if (body.length > MAX_BODY_BYTES) return;
      const method = request.method ?? '';
      const headers = response.getHeaders();
      const sent = { method, route: path, status: response.statusCode, headers, body };
      recordComparison(service, sent, checker.faultsOf(sent));
    });
  });
}

/** Collects what is written. Nest's own streams and Express end in `write` and `end`. */
function recordBody(response: ServerResponse): Buffer[] {
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk === 'string')
      chunks.push(Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const write = response.write.bind(response) as (...args: unknown[]) => boolean;
  const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
  response.write = (...args: unknown[]) => {
    keep(args[0], args[1]);
    return write(...args);
  };
  response.end = ((...args: unknown[]) => {
    keep(args[0], args[1]);
    return end(...args);
  }) as typeof response.end;
  return chunks;
}
