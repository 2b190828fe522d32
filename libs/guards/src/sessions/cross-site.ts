import { type AllowedOrigins } from '@inference/http';
import { type Request } from 'express';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);
/** `none` means that the user started the request, for example from a bookmark. */
const OWN_SITE = new Set(['same-origin', 'none']);

/**
 * Whether a page of another origin than the service's own or a configured one sent the request. Browsers state this in
 * `Sec-Fetch-Site`; older ones and those without TLS in `Origin`. A request with neither comes from no page.
 */
export function isFromForeignPage(request: Request, origins: AllowedOrigins | undefined): boolean {
  const origin = request.get('Origin');
  // `*` allows pages to read public answers, not to use sessions.
  if (origin !== undefined && Array.isArray(origins) && origins.includes(origin)) return false;
  const site = request.get('Sec-Fetch-Site');
  if (site !== undefined) return !OWN_SITE.has(site);
  return origin !== undefined && origin !== `${request.protocol}://${request.host}`;
}

/**
 * Whether a request may use the session cookie, which browsers add to every request. A request that changes data must come from
 * a page of this origin or of a configured one. A client that does not say where its request comes from is no browser and should
 * use the header `Authorization`.
 */
export function mayUseCookie(request: Request, origins: AllowedOrigins | undefined): boolean {
  if (READING.has(request.method)) return true;
  const isFromPage = request.get('Origin') !== undefined || request.get('Sec-Fetch-Site') !== undefined;
  return isFromPage && !isFromForeignPage(request, origins);
}
