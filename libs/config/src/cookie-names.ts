/** The name under which a service sets and reads a cookie. */
export interface CookieNames {
  name: string;
  /** Where the previous version set the cookie. It is read if a request has no cookie of the present name. */
  former?: string;
}

/**
 * Browsers accept a cookie with one of these prefixes over TLS only. A cookie with `__Host-` must also have the path `/` and no
 * domain, so that no other host can set it.
 */
export type CookiePrefix = '__Host-' | '__Secure-';

/** The name of a cookie as it is configured, without a prefix that it may have. */
export const withoutPrefix = (configured: string): string => configured.replace(/^__(host|secure)-/i, '');

/** Names in production, where cookies are `Secure`, have the prefix. */
export function cookieNames(configured: string, prefix: CookiePrefix, isSecure: boolean): CookieNames {
  if (!isSecure) return { name: configured };
  const name = prefix + withoutPrefix(configured);
  return name === configured ? { name } : { name, former: configured };
}

interface SessionCookieFields {
  NODE_ENV: string;
  SESSION_COOKIE_NAME: string;
  COOKIE_DOMAIN?: string | undefined;
}

/** The names of the session cookie, which the console sets and router-cost reads. */
export const sessionCookieNames = (config: SessionCookieFields): CookieNames =>
  cookieNames(
    config.SESSION_COOKIE_NAME,
    config.COOKIE_DOMAIN === undefined ? '__Host-' : '__Secure-',
    isCookieSecure(config),
  );

/** Whether browsers send cookies over TLS only. */
export const isCookieSecure = ({ NODE_ENV }: { NODE_ENV: string }): boolean => NODE_ENV === 'production';
