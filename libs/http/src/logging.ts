import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type LoggerService } from '@nestjs/common';
import { type Logger, pino } from 'pino';
import { type HttpLogger, pinoHttp } from 'pino-http';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

export function createLogger(name: string, level: string): Logger {
  return pino({ name, level });
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
    },
    // What the usage events carry, so that a request in the books is found in the log.
    customProps: (_request, response) => ({
      inferenceRequestId: response.getHeader('X-Inference-Request-Id'),
    }),
    customLogLevel: (_request, { statusCode }, error) =>
      error || (statusCode >= 500 && statusCode !== 501) ? 'error' : 'info',
  });
}

/** Nest's own log calls, written to the service's log. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log = (message: unknown, context?: string) => this.write('info', message, context);
  error = (message: unknown, ...rest: unknown[]) => this.write('error', message, rest.at(-1));
  warn = (message: unknown, context?: string) => this.write('warn', message, context);
  debug = (message: unknown, context?: string) => this.write('debug', message, context);
  verbose = (message: unknown, context?: string) => this.write('trace', message, context);
  fatal = (message: unknown, context?: string) => this.write('fatal', message, context);

  private write(
    level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal',
    message: unknown,
    context: unknown,
  ): void {
    if (message instanceof Error) this.logger[level]({ context, err: message }, message.message);
    else this.logger[level]({ context }, String(message));
  }
}
