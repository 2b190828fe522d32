export { type Attributes, type Span } from './span';
export { readTraceId, type SpanIds } from './trace-context';
export {
  activeSpanIds,
  activeTraceparent,
  isTracing,
  startCallSpan,
  startRequestSpan,
  startTracing,
  traceWork,
} from './tracing';
export { tracedFetch } from './traced-fetch';
export { TracingShutdown } from './tracing-shutdown';
export { type TracingConfig } from './tracing-config';
