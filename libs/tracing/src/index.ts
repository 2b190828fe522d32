export { type TracingConfig } from './open-telemetry/process-tracer';
export { type Attributes, type Span, type SpanIds } from './span';
export {
  activeSpanIds,
  activeTraceparent,
  isTracing,
  readTraceId,
  startCallSpan,
  startRequestSpan,
  startTracing,
  traceWork,
  TracingShutdown,
  tracedFetch,
} from './tracing';
