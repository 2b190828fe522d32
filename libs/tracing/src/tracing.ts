import { type IncomingHttpHeaders } from 'node:http';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type LogWarning } from './open-telemetry/limited-exporter';
import type * as openTelemetry from './open-telemetry/process-tracer';
import { type Attributes, type Span, type SpanIds } from './span';

/** `version-trace id-parent id-flags`. Version ff and ids of zeros are invalid; later versions may have more parts. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;
const FIRST_VERSION = '00';

/** The trace id of a `traceparent` header; undefined if the header is absent or malformed. */
export function readTraceId(header: unknown): string | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId, more] = TRACEPARENT.exec(header) ?? [];
  return version === FIRST_VERSION && more !== undefined ? undefined : traceId;
}

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
  config: openTelemetry.TracingConfig;
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
async function stopTracing(): Promise<void> {
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

/** Sends the last spans once the requests and the background work have ended. */
@Injectable()
export class TracingShutdown implements OnApplicationShutdown {
  async onApplicationShutdown(): Promise<void> {
    await stopTracing();
  }
}

/** `fetch` for calls between services: it continues the trace. The body of the answer does not count into its span. */
export async function tracedFetch(url: string, options: RequestInit = {}): Promise<Response> {
  const { method = 'GET' } = options;
  const { origin, pathname } = new URL(url);
  const span = startCallSpan({ method, origin, path: pathname, template: pathname });
  if (span === undefined) return fetch(url, options);
  try {
    const headers = new Headers(options.headers);
    for (const [name, value] of Object.entries(span.headers)) headers.set(name, value);
    const response = await fetch(url, { ...options, headers });
    span.answered(response.status);
    return response;
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}
