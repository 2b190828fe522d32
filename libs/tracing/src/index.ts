export {
  activeSpanIds,
  activeTraceparent,
  type Attributes,
  isTracing,
  readTraceId,
  type Span,
  type SpanIds,
  startCallSpan,
  startRequestSpan,
  startTracing,
  traceWork,
  type TracingConfig,
  TracingShutdown,
} from './tracing';
export { tracedFetch } from './traced-fetch';
