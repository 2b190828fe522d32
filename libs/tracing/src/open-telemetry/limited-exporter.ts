import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';

export type LogWarning = (message: string) => void;

/** A receiver that is down for a day leaves 1440 lines. */
const WARNING_INTERVAL_MILLIS = 60_000;

/** An exporter whose failures are logged, at most once a minute. The library itself logs nothing. */
export class LimitedExporter implements SpanExporter {
  private lostSpans = 0;
  private warnedAtMillis = -Infinity;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly warn: LogWarning,
    private readonly nowMillis: () => number = () => performance.now(),
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.exporter.export(spans, (result) => {
      if (result.code !== ExportResultCode.SUCCESS) this.onFailure(spans.length, result.error);
      done(result);
    });
  }

  forceFlush(): Promise<void> {
    return this.exporter.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  private onFailure(spans: number, error: Error | undefined): void {
    this.lostSpans += spans;
    const now = this.nowMillis();
    if (now - this.warnedAtMillis < WARNING_INTERVAL_MILLIS) return;
    this.warnedAtMillis = now;
    this.warn(`${this.lostSpans} spans could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT: ${reasonOf(error)}`);
    this.lostSpans = 0;
  }
}

/** @param error of OTLP has the status in `code`, and the text of the status line as its message */
function reasonOf(error: (Error & { code?: unknown }) | undefined): string {
  const reason = [error?.code, error?.message].filter(Boolean).join(' ');
  return reason || 'it does not accept them';
}
