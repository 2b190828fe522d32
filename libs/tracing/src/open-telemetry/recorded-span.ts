import { type AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { type Attributes, type Span } from '../span';
import { type SpanIds } from '../trace-context';

const FIRST_ERROR_STATUS = 400;
const propagator = new W3CTraceContextPropagator();

/** A span of OpenTelemetry, and whether it is over. */
export class RecordedSpan implements Span {
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
