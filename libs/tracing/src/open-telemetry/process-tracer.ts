import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { type IncomingHttpHeaders } from 'node:http';
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { type Attributes, type Span, type SpanIds } from '../span';
import { LimitedExporter, type LogWarning } from './limited-exporter';

/** The variables of OpenTelemetry that a service reads (see `env.service`). */
export interface TracingConfig {
  /** Root of an OTLP receiver; spans go to `/v1/traces` below it. Without it, nothing is traced. */
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  /** Headers of the requests to the receiver, such as a credential. */
  OTEL_EXPORTER_OTLP_HEADERS?: Record<string, string> | undefined;
  OTEL_TRACES_SAMPLER?: SamplerName | undefined;
  /** Part of the traces that is sampled, 0 to 1, for the samplers whose name ends with `traceidratio`. */
  OTEL_TRACES_SAMPLER_ARG?: number | undefined;
}

export type SamplerName =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio';

const FIRST_ERROR_STATUS = 400;
const propagator = new W3CTraceContextPropagator();

/** A span of OpenTelemetry, and whether it is over. */
class RecordedSpan implements Span {
  readonly ids: SpanIds;
  isOver = false;
  private endedAtMillis: number | undefined;

  constructor(
    private readonly span: OtelSpan,
    private readonly storage: AsyncLocalStorage<RecordedSpan>,
  ) {
    const { traceId, spanId } = span.spanContext();
    this.ids = { traceId, spanId };
  }

  /** For spans below this one. */
  get context(): Context {
    return trace.setSpan(ROOT_CONTEXT, this.span);
  }

  get headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    propagator.inject(this.context, headers, defaultTextMapSetter);
    return headers;
  }

  run<T>(work: () => T): T {
    return this.storage.run(this, work);
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  set(attributes: Attributes): void {
    this.span.setAttributes(attributes);
  }

  answered(status: number): void {
    this.span.setAttribute('http.response.status_code', status);
    if (status >= FIRST_ERROR_STATUS) this.fail(String(status));
  }

  fail(cause: unknown): void {
    this.span.setAttribute('error.type', typeof cause === 'string' ? cause : nameOf(cause));
    this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  stop(): void {
    this.endedAtMillis ??= Date.now();
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.span.end(this.endedAtMillis);
  }
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** OpenTelemetry's own defaults. */
const DEFAULT_SAMPLER = 'parentbased_always_on';
const DEFAULT_RATIO = 1;

export function samplerOf(name: SamplerName = DEFAULT_SAMPLER, ratio = DEFAULT_RATIO): Sampler {
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  }
}

interface ProcessTracerOptions extends TracingConfig {
  /** Root of the receiver. */
  endpoint: string;
  warn: LogWarning;
}

const TRACES_PATH = '/v1/traces';
const SCOPE = 'inference-platform';
/** Longest attribute, in characters. A path may have 16 KiB. Chosen: ids and models are shorter. */
const MAX_ATTRIBUTE_CHARS = 1_024;
/** OpenTelemetry's defaults: at most 2048 spans wait, of some 2 kB each; further ones are dropped. */
const MAX_WAITING_SPANS = 2_048;
const BATCH_SPANS = 512;
/** Chosen: a trace is complete seconds after its request; one tenth would send ten times as many requests. */
const BATCH_INTERVAL_MILLIS = 2_000;
/** Of one batch, with its repetitions. Meanwhile spans wait, so a slower receiver loses some. */
const EXPORT_TIMEOUT_MILLIS = 5_000;
/** Limit of a shutdown that waits for the receiver. Chosen: far below every period of grace. */
const SHUTDOWN_MILLIS = 2_000;

/** Makes the spans of one service and sends them in batches, as OTLP (JSON over HTTP). */
export class ProcessTracer {
  private readonly storage = new AsyncLocalStorage<RecordedSpan>();
  private readonly propagator = new W3CTraceContextPropagator();
  private readonly provider: TracerProvider;
  private readonly tracer: Tracer;

  constructor(name: string, options: ProcessTracerOptions) {
    const exporter = new OTLPTraceExporter({
      url: options.endpoint + TRACES_PATH,
      headers: options.OTEL_EXPORTER_OTLP_HEADERS ?? {},
      timeoutMillis: EXPORT_TIMEOUT_MILLIS,
    });
    this.provider = new TracerProvider({
      resource: defaultResource().merge(
        resourceFromAttributes({ 'service.name': name, 'service.instance.id': randomUUID() }),
      ),
      sampler: samplerOf(options.OTEL_TRACES_SAMPLER, options.OTEL_TRACES_SAMPLER_ARG),
      spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_CHARS },
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: new LimitedExporter(exporter, options.warn),
          maxQueueSize: MAX_WAITING_SPANS,
          maxExportBatchSize: BATCH_SPANS,
          scheduledDelayMillis: BATCH_INTERVAL_MILLIS,
          // Longer than a batch takes: the next one must not begin before.
          exportTimeoutMillis: 3 * EXPORT_TIMEOUT_MILLIS,
        }),
      ],
    });
    this.tracer = this.provider.getTracer(SCOPE);
  }

  /** Undefined if the span is over: what outlives it, such as a timer, belongs to no span. */
  get activeSpan(): RecordedSpan | undefined {
    const span = this.storage.getStore();
    return span?.isOver ? undefined : span;
  }

  startRequest(method: string, headers: IncomingHttpHeaders, attributes: Attributes): Span {
    return this.start(method, SpanKind.SERVER, attributes, this.contextOf(headers));
  }

  startCall(name: string, attributes: Attributes): Span {
    return this.start(name, SpanKind.CLIENT, attributes);
  }

  startWork(name: string, attributes: Attributes, traceparent?: string): Span {
    const parent = traceparent === undefined ? undefined : this.contextOf({ traceparent });
    return this.start(name, SpanKind.INTERNAL, attributes, parent);
  }

  /** Never rejects. */
  async shutdown(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, SHUTDOWN_MILLIS)));
    // A failure has been logged by the exporter.
    await Promise.race([this.provider.shutdown().catch(() => undefined), limit]);
    clearTimeout(timer);
  }

  /** The parent that the headers name; none if they are malformed. */
  private contextOf(headers: IncomingHttpHeaders): Context {
    return this.propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
  }

  private start(
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    parent = this.activeSpan?.context ?? ROOT_CONTEXT,
  ): RecordedSpan {
    return new RecordedSpan(this.tracer.startSpan(name, { kind, attributes }, parent), this.storage);
  }
}
