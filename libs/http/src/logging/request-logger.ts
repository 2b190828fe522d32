import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { readTraceId, type SpanIds } from '@inference/tracing';
import { type Logger } from 'pino';
import { spanFields } from './logging';

/** Warns once if a request came through a proxy that TRUST_PROXY does not name: all clients then share one address and its rate limits. */
export function warnOfUntrustedProxy(logger: Logger) {
  let hasWarned = false;
  return (request: IncomingMessage, _response: ServerResponse, next: () => void): void => {
    if (!hasWarned && request.headers['x-forwarded-for'] !== undefined) {
      hasWarned = true;
      logger.warn('X-Forwarded-For is ignored: TRUST_PROXY names no proxy.');
    }
    next();
  };
}

declare module 'node:http' {
  interface IncomingMessage {
    /** The `X-Request-Id` of the answer (see requestLogger). */
    id?: string;
    /** The id that the caller gave, if the service names requests itself. */
    callersId?: string;
    /** The log of the service, for what happens during the request. */
    logger?: Logger;
    /** The span of the request; without tracing, the trace that its `traceparent` names. */
    spanIds?: Pick<SpanIds, 'traceId'> & Partial<SpanIds>;
  }
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** A well-formed X-Request-Id of the caller. */
function offeredId({ headers }: IncomingMessage): string | undefined {
  const offered = headers['x-request-id'];
  return typeof offered === 'string' && REQUEST_ID.test(offered) ? offered : undefined;
}

function describe({ id, method, url = '' }: IncomingMessage) {
  const query = url.indexOf('?');
  return { id, method, path: query === -1 ? url : url.slice(0, query) };
}

/** Answered, but on purpose: the service does not have what was asked for. */
const NOT_IMPLEMENTED = 501;

function logEnd(logger: Logger, request: IncomingMessage, response: ServerResponse, startedAt: number): void {
  const { statusCode } = response;
  const failure =
    response.errored ?? (statusCode >= 500 && new Error(`failed with status code ${statusCode}`));
  const line = {
    req: describe(request),
    ...(request.spanIds && spanFields(request.spanIds)),
    // The id of the usage event, so that a billed request can be found in the log.
    inferenceRequestId: response.getHeader('X-Inference-Request-Id'),
    callersRequestId: request.callersId,
    res: { statusCode },
    ...(failure && { err: failure }),
    responseTime: Date.now() - startedAt,
  };
  if (!failure) logger.info(line, response.writableEnded ? 'request completed' : 'request aborted');
  else logger[response.errored || statusCode !== NOT_IMPLEMENTED ? 'error' : 'info'](line, 'request errored');
}

/** Without a listener an error of a response would end the process. */
const ignoreError = () => undefined;

/**
 * Middleware: names the request, in `X-Request-Id` too, and logs one line when its response has ended: method, path without
 * query, status, duration and trace. Never logs a header or a body. Written by hand: pino-http's child loggers take 40 µs of a request.
 * @param newRequestId names the requests; without it the caller's id is adopted, or one is generated
 */
export function requestLogger(logger: Logger, newRequestId?: () => string) {
  return (request: IncomingMessage, response: ServerResponse, next?: () => void): void => {
    const offered = offeredId(request);
    request.id = newRequestId?.() ?? offered ?? randomUUID();
    if (newRequestId && offered !== undefined) request.callersId = offered;
    request.logger = logger;
    if (request.spanIds === undefined && request.headers.traceparent !== undefined) {
      const traceId = readTraceId(request.headers.traceparent);
      if (traceId !== undefined) request.spanIds = { traceId };
    }
    response.setHeader('X-Request-Id', request.id);
    response.on('error', ignoreError);
    if (request.url !== '/healthz') {
      const startedAt = Date.now();
      response.once('close', () => logEnd(logger, request, response, startedAt));
    }
    next?.();
  };
}

/** Logs an error with the request during which it happened. */
export function logFailure(request: IncomingMessage, error: unknown): void {
  const { spanIds } = request;
  request.logger?.error({ req: describe(request), ...(spanIds && spanFields(spanIds)), err: error });
}
