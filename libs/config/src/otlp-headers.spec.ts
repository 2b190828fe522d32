import { z } from 'zod';
import { service } from './fields';
import { ConfigError, loadConfig } from './load-config';

const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS } = service;
const { OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG } = service;
const schema = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT,
  OTEL_EXPORTER_OTLP_HEADERS,
  OTEL_TRACES_SAMPLER,
  OTEL_TRACES_SAMPLER_ARG,
});
const read = (OTEL_EXPORTER_OTLP_HEADERS: string) =>
  loadConfig(schema, { OTEL_EXPORTER_OTLP_HEADERS }).OTEL_EXPORTER_OTLP_HEADERS;

describe('OTEL_EXPORTER_OTLP_HEADERS', () => {
  it.each([
    ['', undefined],
    ['x-api-key=abc', { 'x-api-key': 'abc' }],
    ['Authorization=Bearer%20abc, x-team = red', { Authorization: 'Bearer abc', 'x-team': 'red' }],
    ['authorization=Basic dTpw=', { authorization: 'Basic dTpw=' }],
  ])('takes "%s"', (text, expected) => expect(read(text)).toEqual(expected));

  it.each(['abc', '=abc', 'name=', 'a b=c', 'a=b,', 'a=%zz', 'a=%0Ab', 'a=ü', 'a=b;c=d,,e=f'])(
    'refuses "%s" without quoting it',
    (text) => {
      expect(() => read(text)).toThrow(ConfigError);
      expect(() => read(text)).toThrow(
        /OTEL_EXPORTER_OTLP_HEADERS: must be a list such as name=value,name=value, with percent-encoded values$/,
      );
    },
  );
});

it('names every fault of the variables of OpenTelemetry', () => {
  const values = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
    OTEL_TRACES_SAMPLER: 'jaeger_remote',
    OTEL_TRACES_SAMPLER_ARG: '1.5',
  };
  expect(() => loadConfig(schema, values)).toThrow(
    expect.objectContaining({
      faults: [
        'OTEL_EXPORTER_OTLP_ENDPOINT: must be a URL starting with http:// or https://',
        expect.stringMatching(/^OTEL_TRACES_SAMPLER: .*parentbased_traceidratio/),
        'OTEL_TRACES_SAMPLER_ARG: must be between 0 and 1',
      ],
    }) as Error,
  );
});
