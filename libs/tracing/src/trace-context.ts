/** Ids of a span, as W3C Trace Context writes them: lower-case hexadecimal digits. */
export interface SpanIds {
  traceId: string;
  spanId: string;
}

/** `version-trace id-parent id-flags`. Version ff and ids of zeros are invalid; later versions may have more parts. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;
const FIRST_VERSION = '00';

/** The trace id of a `traceparent` header; undefined if the header is absent or malformed. */
export function readTraceId(header: unknown): string | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId, more] = TRACEPARENT.exec(header) ?? [];
  return version === FIRST_VERSION && more !== undefined ? undefined : traceId;
}
