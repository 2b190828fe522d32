import cluster from 'node:cluster';
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { ConfigError } from '@inference/config';
import { RequestValidationPipe } from '@inference/dto';
import { isTracing, type Span, startRequestSpan, startTracing, type TracingConfig } from '@inference/tracing';
import {
  type CanActivate,
  type DynamicModule,
  type ExceptionFilter,
  type NestApplicationOptions,
} from '@nestjs/common';
import { NestFactory, Reflector } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { type Express } from 'express';
import helmet from 'helmet';
import { type DestinationStream } from 'pino';
import { BodyMemory } from './bodies/body-memory';
import { BodyReader } from './bodies/body-reader';
import { BodyGuard } from './bodies/body.guard';
import { serveInTurn } from './bodies/requests-in-turn';
import { endStalledConnections } from './bodies/stalled-connections';
import { hangUpUnread, leaveBodiesUnread } from './bodies/unread-bodies';
import { type AllowedOrigins, corsOptions, setCorsHeaders } from './cors';
import { ErrorFilter } from './errors/error.filter';
import { answerParserErrors, type ParserErrorBody } from './errors/parser-errors';
import { type PlainMiddleware, serveFastPaths } from './fast-path';
import { KEEP_ALIVE_MILLIS } from './keep-alive';
import { createLogger, NestLogger } from './logging/logging';
import { requestLogger, warnOfUntrustedProxy } from './logging/request-logger';
import { answerPrimary, Metrics, metricsOfWorkers } from './metrics/metrics';
import { MetricsServer } from './metrics/metrics-server';
import { RefusedCalls } from './refused-calls';
import { ConnectionDrain, ShutdownDelay } from './shutdown';
import { QueryGuard, UnexpectedBodyGuard } from './validation/unexpected-input.guards';
import { answerPings, Workers } from './workers';

type RoutedRequest = IncomingMessage & { route?: { path?: string } };
type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Asked every few seconds, by probes. Like the log, traces leave it out. */
const PROBE = '/healthz';
const FIRST_SERVER_ERROR = 500;

/**
 * Gives each request of a server a span, from its arrival to the end of its response, and runs the listeners in it. Only for a
 * process that traces: the server of any other one is left as it is.
 */
function traceRequests(server: Server): void {
  const listeners = server.listeners('request') as Listener[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const serve = () => {
      for (const listener of listeners) listener.call(server, request, response);
    };
    const span = request.url === PROBE ? undefined : startSpan(request);
    if (span === undefined) return serve();
    request.spanIds = span.ids;
    response.once('close', () => endSpan(span, request, response));
    span.run(serve);
  });
}

function startSpan({ method = '', url = '', headers, httpVersion }: IncomingMessage): Span | undefined {
  const query = url.indexOf('?');
  return startRequestSpan(method, headers, {
    'http.request.method': method,
    'url.path': query === -1 ? url : url.slice(0, query),
    'url.scheme': 'http',
    'network.protocol.version': httpVersion,
  });
}

function endSpan(span: Span, request: RoutedRequest, { statusCode }: ServerResponse): void {
  const route = request.route?.path;
  if (route !== undefined) span.rename(`${request.method} ${route}`);
  span.set({ 'http.route': route, 'http.response.status_code': statusCode });
  if (statusCode >= FIRST_SERVER_ERROR) span.fail(String(statusCode));
  span.end();
}

/**
 * Nest's adapter with a server that creates requests and responses with Express's prototypes. Express itself changes their
 * prototypes later, which slows every use of them down (ADR 37).
 */
export class ServerAdapter extends ExpressAdapter {
  override initHttpServer({ httpsOptions, forceCloseConnections }: NestApplicationOptions): void {
    if (httpsOptions !== undefined || forceCloseConnections !== undefined)
      throw new Error('httpsOptions, forceCloseConnections: are not supported');
    const express = this.getInstance<Express>();
    class ExpressRequest extends IncomingMessage {}
    class ExpressResponse extends ServerResponse {}
    express.request = addMethods(ExpressRequest, express.request);
    express.response = addMethods(ExpressResponse, express.response);
    this.setHttpServer(
      createServer({ IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse }, express),
    );
  }
}

/** Returns the prototype of the class. What Express sets is then what its objects already have. */
function addMethods<Methods extends object>(type: { prototype: object }, methods: Methods): Methods {
  return Object.setPrototypeOf(type.prototype, methods) as Methods;
}

/** The part of every app's configuration that concerns the process (see `env.service`). */
export interface ServiceConfig extends TracingConfig {
  HOST: string;
  PORT: number;
  LOG_LEVEL: string;
  TRUST_PROXY?: number | string[] | undefined;
  CORS_ORIGINS?: AllowedOrigins | undefined;
  /** Port of `GET /metrics` and `GET /livez`; without it they are not served. */
  METRICS_PORT?: number | undefined;
  /** Time from SIGTERM to the shutdown, in which load balancers learn of it; none unless given. */
  SHUTDOWN_DELAY_SECONDS?: number | undefined;
  /** Processes that serve the port together; one unless given. */
  workers?: number;
}

/** What distinguishes one service from the others. */
export interface ServiceOptions {
  /** Name in the logs. */
  name: string;
  /** Largest request body in bytes of handlers without `@BodyAs`; without it bodies are not read and may be of any type. */
  bodyLimitBytes?: number;
  /** Refuses JSON numbers that a double cannot hold, for services that take amounts. */
  refuseInexactNumbers?: boolean;
  /** Serves the API document. It runs before the routes are registered. */
  documentApi?: (app: NestExpressApplication) => void;
  /** Renders errors in another shape than `{error}`. */
  errorFilter?: ExceptionFilter;
  /** Names the requests; without it a caller's `X-Request-Id` is adopted. */
  newRequestId?: () => string;
  /** The body of errors that reach no filter: invalid HTTP, headers that are too large, requests that arrive too slowly. */
  parserErrorBody?: ParserErrorBody;
  /** Disconnects a client that takes nothing of its answer for so long; a minute unless given. */
  stallMillis?: number;
  /** Receives the log instead of standard output. */
  logTo?: DestinationStream | undefined;
}

/** Drops the directive that makes browsers load the parts of a page by https: a service may be on plain http in a private network. */
const HELMET_OPTIONS = { contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } };
const HEADERS_TIMEOUT_MILLIS = 30_000;

/** Builds the application of a module that imports ServiceModule, with everything that all services share: logs, metrics, traces, CORS, bodies, errors and shutdown. Does not listen. */
export async function createService(
  module: DynamicModule,
  config: ServiceConfig,
  options: ServiceOptions,
): Promise<NestExpressApplication> {
  const warn = (message: string) => logger.warn(message);
  startTracing({ name: options.name, config, warn });
  const logger = createLogger(options.name, config.LOG_LEVEL, options.logTo);
  const app = await NestFactory.create<NestExpressApplication>(module, new ServerAdapter(), {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  app.disable('x-powered-by');
  app.set('etag', false);
  if (config.TRUST_PROXY !== undefined) app.set('trust proxy', config.TRUST_PROXY);
  const metrics = app.get(Metrics);
  const middleware: PlainMiddleware[] = [
    ...(config.TRUST_PROXY === undefined ? [warnOfUntrustedProxy(logger)] : []),
    requestLogger(logger, options.newRequestId),
    metrics.measure.bind(metrics),
    helmet(HELMET_OPTIONS),
    hangUpUnread(),
  ];
  app.use(...middleware);
  // CORS comes before the credentials: a preflight has none, and pages must be able to read a 401.
  if (config.CORS_ORIGINS !== undefined) app.enableCors(corsOptions(config.CORS_ORIGINS));
  const refusedCalls = app.get(RefusedCalls);
  app.use(refusedCalls.check);
  leaveBodiesUnread(app.getHttpServer());
  app.useGlobalGuards(...guardsOf(app, options));
  app.useGlobalPipes(new RequestValidationPipe());
  options.documentApi?.(app);
  const filter = refusedCalls.countedBy(options.errorFilter ?? new ErrorFilter());
  app.useGlobalFilters(filter);
  const cors = config.CORS_ORIGINS === undefined ? [] : [setCorsHeaders(config.CORS_ORIGINS)];
  serveFastPaths(app, { middleware: [...middleware, ...cors, refusedCalls.check], filter });
  if (isTracing()) traceRequests(app.getHttpServer());
  app.get(ShutdownDelay).takeSignals(app, config.SHUTDOWN_DELAY_SECONDS);
  app.getHttpServer().headersTimeout = HEADERS_TIMEOUT_MILLIS;
  app.getHttpServer().keepAliveTimeout = KEEP_ALIVE_MILLIS;
  endStalledConnections(app.getHttpServer(), options.stallMillis);
  app.get(ConnectionDrain).watch();
  answerParserErrors(app.getHttpServer(), config.CORS_ORIGINS, options);
  serveInTurn(app.getHttpServer());
  return app;
}

/** The guards that every service has; they run after those of its modules. */
function guardsOf(app: NestExpressApplication, options: ServiceOptions): CanActivate[] {
  const query = new QueryGuard(app.get(Reflector));
  if (options.bodyLimitBytes === undefined) return [query];
  const { bodyLimitBytes: limitBytes, refuseInexactNumbers = false } = options;
  const reader = new BodyReader(app.get(BodyMemory));
  return [
    query,
    new BodyGuard(app.get(Reflector), reader, { limitBytes, refuseInexactNumbers }),
    new UnexpectedBodyGuard(),
  ];
}

/** Entry point of an app: reads the configuration and listens. On a fault it prints every fault and exits with 1. */
export async function startService<Config extends ServiceConfig>(
  readConfig: () => Config,
  buildModule: (config: Config) => DynamicModule,
  options: ServiceOptions,
): Promise<void> {
  try {
    if (cluster.isWorker) {
      answerPrimary();
      answerPings();
    }
    const config = readConfig();
    if (cluster.isPrimary && (config.workers ?? 1) > 1) await startWorkers(config, options);
    else await startProcess(config, buildModule(config), options);
  } catch (error) {
    process.stderr.write(`${error instanceof ConfigError ? error.message : (error as Error).stack}\n`);
    process.exit(1);
  }
}

async function startProcess(
  config: ServiceConfig,
  module: DynamicModule,
  options: ServiceOptions,
): Promise<void> {
  const app = await createService(module, config, options);
  await app.listen(config.PORT, config.HOST);
  if (config.METRICS_PORT === undefined) return;
  const metrics = app.get(Metrics);
  metrics.observeProcess();
  if (cluster.isWorker) metrics.joinWorkers();
  else await app.get(MetricsServer).listen(config.METRICS_PORT, config.HOST);
}

async function startWorkers(config: ServiceConfig, { name, logTo }: ServiceOptions): Promise<void> {
  const logger = createLogger(name, config.LOG_LEVEL, logTo);
  const workers = new Workers(config.workers ?? 1, logger);
  await workers.start();
  if (config.METRICS_PORT === undefined) return;
  const metrics = new MetricsServer(metricsOfWorkers(), () => workers.isLive());
  await metrics.listen(config.METRICS_PORT, config.HOST);
}
