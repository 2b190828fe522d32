import { ExportResultCode } from '@opentelemetry/core';
import { type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import { LimitedExporter } from './limited-exporter';

const MINUTE = 60_000;

function exporterThat(fails: () => Error | undefined) {
  const warnings: string[] = [];
  const clock = { millis: 0 };
  const inner: SpanExporter = {
    export: (_spans, done) => {
      const error = fails();
      done(error ? { code: ExportResultCode.FAILED, error } : { code: ExportResultCode.SUCCESS });
    },
    shutdown: () => Promise.resolve(),
  };
  const exporter = new LimitedExporter(
    inner,
    (message) => warnings.push(message),
    () => clock.millis,
  );
  const send = (spans: number) => exporter.export(new Array<ReadableSpan>(spans), () => undefined);
  return { warnings, clock, send };
}

describe('failures of the receiver', () => {
  it('are logged at once, and then once a minute with the number of lost spans', () => {
    const { warnings, clock, send } = exporterThat(() => new Error('connect ECONNREFUSED'));
    send(5);
    expect(warnings).toEqual([
      '5 spans could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT: connect ECONNREFUSED',
    ]);
    send(2);
    clock.millis = MINUTE - 1;
    send(3);
    expect(warnings).toHaveLength(1);
    clock.millis = MINUTE;
    send(4);
    expect(warnings.slice(1)).toEqual([expect.stringMatching(/^9 spans /)]);
  });

  it('show a status, and not the body of the answer', () => {
    const error = Object.assign(new Error('Unauthorized'), { code: 401, data: 'quoted credential' });
    const { warnings, send } = exporterThat(() => error);
    send(1);
    expect(warnings).toEqual([expect.stringMatching(/: 401 Unauthorized$/)]);
  });

  it('are not logged if there are none', () => {
    const { warnings, send } = exporterThat(() => undefined);
    send(1);
    expect(warnings).toEqual([]);
  });
});
