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
