import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { type HttpLogger, pinoHttp } from 'pino-http';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

export function createLogger(name: string, level: string, destination?: DestinationStream): Logger {
  const options = { name, level, serializers: { err: describeFailure } };
  return destination ? pino(options, destination) : pino(options);
}

/** PostgreSQL's account of a failure quotes the row that it was about, secrets and all. */
function describeFailure(error: Error): unknown {
  if (!(error instanceof Error)) return error;
  const { detail: _row, where: _statement, internalQuery: _query, ...rest } = stdSerializers.err(error);
  return rest;
}

/** Takes the caller's X-Request-Id when it is a harmless one, and always sends one back. */
function requestId(request: IncomingMessage, response: ServerResponse): string {
  const offered = request.headers['x-request-id'];
  const id = typeof offered === 'string' && REQUEST_ID.test(offered) ? offered : randomUUID();
  response.setHeader('X-Request-Id', id);
  return id;
}

/** One line per request: method, path without its query, status and time. No header and no body is ever logged. */
export function requestLogger(logger: Logger): HttpLogger {
  return pinoHttp({
    logger,
    genReqId: requestId,
    autoLogging: { ignore: ({ url }) => url === '/healthz' || url === '/metrics' },
    wrapSerializers: false,
    serializers: {
      req: ({ id, method, url = '' }: IncomingMessage) => ({ id, method, path: url.split('?')[0] }),
      res: ({ statusCode }: ServerResponse) => ({ statusCode }),
      err: describeFailure,
    },
    // What the usage events carry, so that a request in the books is found in the log.
    customProps: (_request, response) => ({
      inferenceRequestId: response.getHeader('X-Inference-Request-Id'),
    }),
    customLogLevel: (_request, { statusCode }, error) =>
      error || (statusCode >= 500 && statusCode !== 501) ? 'error' : 'info',
  });
}

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

const STACK = /\n\s+at .+:\d+:\d+/;

/**
 * Nest's own log calls, written to the service's log. After the message come, any of them or none: an error or its
 * stack, and last the context.
 */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log = (message: unknown, ...rest: unknown[]) => this.write('info', message, rest);
  error = (message: unknown, ...rest: unknown[]) => this.write('error', message, rest);
  warn = (message: unknown, ...rest: unknown[]) => this.write('warn', message, rest);
  debug = (message: unknown, ...rest: unknown[]) => this.write('debug', message, rest);
  verbose = (message: unknown, ...rest: unknown[]) => this.write('trace', message, rest);
  fatal = (message: unknown, ...rest: unknown[]) => this.write('fatal', message, rest);

  private write(level: Level, message: unknown, rest: unknown[]): void {
    const stack = rest.find((value) => typeof value === 'string' && STACK.test(value));
    const err = [message, ...rest].find((value) => value instanceof Error);
    const last = rest.at(-1);
    const context = typeof last === 'string' && last !== stack ? last : undefined;
    this.logger[level]({ context, err, stack }, message instanceof Error ? message.message : String(message));
  }
}
