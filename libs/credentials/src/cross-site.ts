import { type AllowedOrigins } from '@inference/http';
import { type Request } from 'express';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);
/** `none` is the user's own doing, such as a bookmark. */
const OWN_SITE = new Set(['same-origin', 'none']);

/**
 * Whether a request may act by the cookie that a browser adds to it unasked. One that changes something must come from
 * a page of this very origin or of a configured one; browsers say so in `Sec-Fetch-Site`, or, older ones and those
 * without TLS, in `Origin`. Who sends neither is no browser, and should bring its token in the header `Authorization`.
 */
export function mayUseCookie(request: Request, origins: AllowedOrigins | undefined): boolean {
  if (READING.has(request.method)) return true;
  const origin = request.get('Origin');
  // `*` is for answers that anybody may read: it opens nobody's session.
  if (origin !== undefined && Array.isArray(origins) && origins.includes(origin)) return true;
  const site = request.get('Sec-Fetch-Site');
  if (site !== undefined) return OWN_SITE.has(site);
  return origin !== undefined && origin === `${request.protocol}://${request.host}`;
}
