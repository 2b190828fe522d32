/** Ids of a span, as W3C Trace Context writes them: lower-case hexadecimal digits. */
export interface SpanIds {
  traceId: string;
  spanId: string;
}

/** Names and values by OpenTelemetry's semantic conventions. Never prompts, keys, tokens or mail addresses. Undefined ones are left out. */
export type Attributes = Record<string, string | number | boolean | undefined>;

/** One step of a trace. It is sent when it has ended; what is set later is lost. */
export interface Span {
  readonly ids: SpanIds;
  /** `traceparent` and, if there is one, `tracestate`: they continue the trace in the service that is called. */
  readonly headers: Record<string, string>;
  /** Runs something whose spans and log lines belong to this span, until it has ended. */
  run<T>(work: () => T): T;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Sets the status of the response to a call; from 400 on the call has failed. */
  answered(status: number): void;
  /** Marks the span as failed. @param cause a name of few values, or an error, of which only code or class is taken: messages may quote content */
  fail(cause: unknown): void;
  /** Fixes the time of the end, for a span that gets more attributes afterwards. */
  stop(): void;
  /** Has no effect the second time. */
  end(): void;
}
