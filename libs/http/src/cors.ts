import { type IncomingMessage, type ServerResponse } from 'node:http';

/** Exact origins, or `*` for any (see CORS_ORIGINS). */
export type AllowedOrigins = '*' | string[];

/** Response headers that a page may read. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'X-Inference-Request-Id',
  'X-Cost',
  'X-Output-Limit',
  'X-Should-Retry',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Idempotent-Replayed',
  'X-Conversation-Id',
  'X-Ignored-Fields',
  'X-Document-Version',
];
/** How long browsers cache a preflight; the longest that Chromium allows. */
const PREFLIGHT_SECONDS = 7_200;
const ORIGIN_HEADER = /\r\norigin:[ \t]*(\S+)[ \t]*\r\n/i;

/** CORS options for the configured origins. With `*`, browsers send no cookies, so no page can use a visitor's session. */
export function corsOptions(origins: AllowedOrigins) {
  return {
    origin: origins,
    credentials: origins !== '*',
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
  };
}

/** Middleware for requests that Nest's CORS does not see: sets the same headers, but answers no preflight. */
export function setCorsHeaders(origins: AllowedOrigins) {
  return ({ headers }: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const { origin } = headers;
    if (origins === '*') response.setHeader('Access-Control-Allow-Origin', '*');
    else {
      response.setHeader('Vary', 'Origin').setHeader('Access-Control-Allow-Credentials', 'true');
      if (origin !== undefined && origins.includes(origin))
        response.setHeader('Access-Control-Allow-Origin', origin);
    }
    response.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS.join(','));
    next();
  };
}

/** The CORS header lines, each with CRLF, for a request that could not be parsed; finds `Origin` in its raw bytes. */
export function rawCorsHeaders(origins: AllowedOrigins | undefined, rawRequest: Buffer | undefined): string {
  if (origins === undefined) return '';
  if (origins === '*') return 'Access-Control-Allow-Origin: *\r\n';
  const origin = ORIGIN_HEADER.exec(rawRequest?.toString('latin1') ?? '')?.[1];
  if (origin === undefined || !origins.includes(origin)) return 'Vary: Origin\r\n';
  return `Access-Control-Allow-Origin: ${origin}\r\nAccess-Control-Allow-Credentials: true\r\nVary: Origin\r\n`;
}
