import { type LoggerService } from '@nestjs/common';
import { activeSpanIds, isTracing, type SpanIds } from '@inference/tracing';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

/** The members of a log line that name a span. */
export const spanFields = ({ traceId, spanId }: Partial<SpanIds> = {}) => ({
  trace_id: traceId,
  span_id: spanId,
});

/**
 * Creates the service's JSON logger; it writes to standard output unless a destination is given. While the process traces, each
 * line names the span in which it was written.
 */
export function createLogger(name: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    name,
    level,
    serializers: { err: serializeError },
    ...(isTracing() && { mixin: () => spanFields(activeSpanIds()) }),
  };
  return destination ? pino(options, destination) : pino(options);
}

/** What database errors quote of a row or of a statement and its parameters, which could be secrets. */
const QUOTATIONS = new Set(['detail', 'where', 'internalQuery', 'query', 'parameters', 'driverError']);

function serializeError(error: Error): unknown {
  if (!(error instanceof Error)) return error;
  return withoutQuotations(stdSerializers.err(error));
}

/** Goes into the errors that a serialized error contains. */
function withoutQuotations(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutQuotations);
  if (typeof value !== 'object' || value === null || !('stack' in value)) return value;
  const entries = Object.entries(value).filter(([name]) => !QUOTATIONS.has(name));
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutQuotations(inner)]));
}

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

const STACK = /\n\s+at .+:\d+:\d+/;

/**
 * Writes Nest's log calls to the service's log. The message may be followed by an error or its stack, and by the context as the
 * last argument.
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
