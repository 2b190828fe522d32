/**
 * The policy of the console's pages: own scripts and styles only, no inline ones, no frames, and calls to the listed
 * origins only.
 */
export function contentSecurityPolicy(calledOrigins: string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${["'self'", ...calledOrigins].join(' ')}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
