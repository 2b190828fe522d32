/** Exact origins, or `*` for any (see CORS_ORIGINS). */
export type AllowedOrigins = '*' | string[];

/** What a page may read beside the body. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'X-Inference-Request-Id',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Idempotent-Replayed',
  'X-Conversation-Id',
  'X-Document-Version',
];
/** The longest that a browser in use takes. */
const PREFLIGHT_SECONDS = 7_200;
const ORIGIN_HEADER = /\r\norigin:[ \t]*(\S+)[ \t]*\r\n/i;

/** A page of any origin at all never gets to use the session cookie of whoever looks at it. */
export function corsOptions(origins: AllowedOrigins) {
  return {
    origin: origins,
    credentials: origins !== '*',
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
  };
}

/** The same for a request that could not be parsed: header lines, each with its end, by what did arrive of it. */
export function rawCorsHeaders(origins: AllowedOrigins | undefined, rawRequest: Buffer | undefined): string {
  if (origins === undefined) return '';
  if (origins === '*') return 'Access-Control-Allow-Origin: *\r\n';
  const origin = ORIGIN_HEADER.exec(rawRequest?.toString('latin1') ?? '')?.[1];
  if (origin === undefined || !origins.includes(origin)) return 'Vary: Origin\r\n';
  return `Access-Control-Allow-Origin: ${origin}\r\nAccess-Control-Allow-Credentials: true\r\nVary: Origin\r\n`;
}
