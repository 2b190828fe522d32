import { type IncomingMessage } from 'node:http';
import { type DynamicModule, type ExceptionFilter } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { ConfigError } from '@inference/config';
import { type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import { type DestinationStream } from 'pino';
import { ConnectionDrain } from './shutdown/connection-drain';
import { type AllowedOrigins, corsOptions } from './cors/cors';
import { ErrorFilter } from './errors/error.filter';
import { warnOfUntrustedProxy } from './logging/untrusted-proxy.middleware';
import { hideBodyInParseErrors } from './bodies/parse-error.middleware';
import { createLogger, NestLogger, requestLogger } from './logging/logging';
import { requireJsonMediaType } from './bodies/json-media-type.middleware';
import { Metrics } from './metrics/metrics';
import { answerParserErrors, type ParserErrorBody } from './errors/parser-errors';
import { limitArrival, serveStreamedBodies, streamedBy } from './bodies/streamed-bodies';

/** The part of every app's configuration that concerns the process (see `env.service`). */
export interface ServiceConfig {
  HOST: string;
  PORT: number;
  LOG_LEVEL: string;
  TRUST_PROXY?: number | string[] | undefined;
  CORS_ORIGINS?: AllowedOrigins | undefined;
}

/** What distinguishes one service from the others. */
export interface ServiceOptions {
  /** Name in the logs. */
  name: string;
  /** Largest request body in bytes; without it bodies are not read and may be of any type. */
  bodyLimitBytes?: number;
  /** Handlers get the raw bytes of the body instead of parsed JSON: all handlers, or those whose path begins with `under`. */
  rawBodies?: boolean | { under: string; limitBytes: number };
  /** Paths whose bodies are not parsed and have no size limit; their handlers read the stream. */
  streamedBodies?: RegExp;
  /** Renders errors in another shape than `{error}`. */
  errorFilter?: ExceptionFilter;
  /** The body of errors that reach no filter: invalid HTTP, headers that are too large, requests that arrive too slowly. */
  parserErrorBody?: ParserErrorBody;
  /** Receives the log instead of standard output. */
  logTo?: DestinationStream | undefined;
}

const HEADERS_TIMEOUT_MILLIS = 30_000;

/** Builds the application with everything that all services share: logs, metrics, CORS, bodies, errors and shutdown. Does not listen. */
export async function createService(
  module: DynamicModule,
  config: ServiceConfig,
  options: ServiceOptions,
): Promise<NestExpressApplication> {
  const logger = createLogger(options.name, config.LOG_LEVEL, options.logTo);
  const app = await NestFactory.create<NestExpressApplication>(module, {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  app.disable('x-powered-by');
  app.set('etag', false);
  if (config.TRUST_PROXY !== undefined) app.set('trust proxy', config.TRUST_PROXY);
  else app.use(warnOfUntrustedProxy(logger));
  const metrics = app.get(Metrics);
  app.use(requestLogger(logger), metrics.measure.bind(metrics), helmet());
  // CORS comes before the credentials: a preflight has none, and pages must be able to read a 401.
  if (config.CORS_ORIGINS !== undefined) app.enableCors(corsOptions(config.CORS_ORIGINS));
  const isStreamed = streamedBy(options.streamedBodies);
  if (options.streamedBodies) {
    serveStreamedBodies(app.getHttpServer(), isStreamed);
    app.use(limitArrival(isStreamed));
  }
  if (options.bodyLimitBytes !== undefined)
    readBodies(app, options.bodyLimitBytes, options.rawBodies, isStreamed);
  app.useGlobalFilters(options.errorFilter ?? new ErrorFilter());
  app.enableShutdownHooks();
  app.getHttpServer().headersTimeout = HEADERS_TIMEOUT_MILLIS;
  app.get(ConnectionDrain).watch();
  answerParserErrors(app.getHttpServer(), config.CORS_ORIGINS, options.parserErrorBody);
  return app;
}

function readBodies(
  app: NestExpressApplication,
  limit: number,
  raw: ServiceOptions['rawBodies'],
  isStreamed: (request: IncomingMessage) => boolean,
): void {
  // Routes are case-insensitive.
  const isRaw = (request: IncomingMessage) =>
    typeof raw === 'object' && (request.url ?? '').toLowerCase().startsWith(raw.under);
  app.use((request: Request, response: Response, next: NextFunction) =>
    isRaw(request) || isStreamed(request) ? next() : requireJsonMediaType(request, response, next),
  );
  if (raw === true) app.useBodyParser('raw', { limit, type: () => true });
  else if (raw) app.useBodyParser('raw', { limit: raw.limitBytes, type: isRaw });
  if (raw !== true)
    app.useBodyParser('json', {
      limit,
      strict: false,
      type: (request: IncomingMessage) => !isRaw(request) && !isStreamed(request),
    });
  app.use(hideBodyInParseErrors);
}

/** Entry point of an app: reads the configuration and listens. On a fault it prints every fault and exits with 1. */
export async function startService<Config extends ServiceConfig>(
  readConfig: () => Config,
  buildModule: (config: Config) => DynamicModule,
  options: ServiceOptions,
): Promise<void> {
  try {
    const config = readConfig();
    const app = await createService(buildModule(config), config, options);
    await app.listen(config.PORT, config.HOST);
  } catch (error) {
    process.stderr.write(`${error instanceof ConfigError ? error.message : (error as Error).stack}\n`);
    process.exit(1);
  }
}
