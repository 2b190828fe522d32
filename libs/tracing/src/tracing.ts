import { type IncomingHttpHeaders } from 'node:http';
import { type LogWarning } from './open-telemetry/limited-exporter';
import type * as openTelemetry from './open-telemetry/process-tracer';
import { type Attributes, type Span } from './span';
import { type SpanIds } from './trace-context';
import { type TracingConfig } from './tracing-config';

/** A call of another service, or of an upstream. */
interface Call {
  method: string;
  /** Scheme, host and port. */
  origin: string;
  /** With or without a query, which is never recorded. */
  path: string;
  /** The path without its variable parts, if it is known. */
  template?: string;
  attributes?: Attributes;
}

interface TracingOptions {
  /** Name of the service. */
  name: string;
  config: TracingConfig;
  warn: LogWarning;
}

/** What the process traces with; undefined while tracing is off. One process is one service. */
let tracer: openTelemetry.ProcessTracer | undefined;

export const isTracing = (): boolean => tracer !== undefined;

/** Traces from now on if the configuration names a receiver. Otherwise the packages of OpenTelemetry are not even loaded. */
export function startTracing({ name, config, warn }: TracingOptions): void {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return;
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { ProcessTracer } = require('./open-telemetry/process-tracer') as typeof openTelemetry;
  tracer = new ProcessTracer(name, { ...config, endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT, warn });
}

/** Sends the spans that have ended, within a limit of time, and traces nothing any more. Never rejects. */
export async function stopTracing(): Promise<void> {
  const stopped = tracer;
  tracer = undefined;
  await stopped?.shutdown();
}

/** Ids of the span in which this code runs; undefined if there is none, or it has ended. */
export const activeSpanIds = (): SpanIds | undefined => tracer?.activeSpan?.ids;

/** The `traceparent` of the span in which this code runs, for work that continues the trace later. */
export const activeTraceparent = (): string | undefined => tracer?.activeSpan?.headers.traceparent;

/** The span of a request that has arrived; it continues the trace of the caller. Undefined if tracing is off. */
export const startRequestSpan = (
  method: string,
  headers: IncomingHttpHeaders,
  attributes: Attributes,
): Span | undefined => tracer?.startRequest(method, headers, attributes);

/** The span of a call, which has to carry its `headers`. Undefined if tracing is off. */
export function startCallSpan(call: Call): Span | undefined {
  if (tracer === undefined) return undefined;
  const { method, origin, path, template, attributes } = call;
  const url = new URL(path, origin);
  return tracer.startCall(template === undefined ? method : `${method} ${template}`, {
    'http.request.method': method,
    'server.address': url.hostname.replace(/^\[|\]$/g, ''),
    'server.port': Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    'url.full': url.origin + url.pathname,
    'url.template': template,
    ...attributes,
  });
}

/**
 * Runs something in a span of its own, which ends with it; without a span if tracing is off.
 * @param traceparent continues this trace instead of the one in which this code runs
 */
export function traceWork<T>(
  name: string,
  attributes: Attributes,
  work: (span: Span | undefined) => Promise<T>,
  traceparent?: string,
): Promise<T> {
  const span = tracer?.startWork(name, attributes, traceparent);
  return span ? span.run(() => work(span)).finally(() => span.end()) : work(undefined);
}
