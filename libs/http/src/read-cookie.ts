import { UnauthorizedException } from '@nestjs/common';
import { type CookieNames } from '@inference/config';
import { parseCookie } from 'cookie';

/**
 * A request with two different values of one cookie. Browsers send cookies that another host of the domain has set beside those
 * of the service, in an order that the other host decides.
 */
export class AmbiguousCookieException extends UnauthorizedException {
  constructor(name: string) {
    super(`the cookie ${name} was sent with different values`);
  }
}

/**
 * Returns the value of a cookie; undefined if the request has none. Throws AmbiguousCookieException if it has two different ones.
 *
 * @param header the header `Cookie`
 */
export function readCookie(header: string | undefined, { name, former }: CookieNames): string | undefined {
  if (header === undefined) return undefined;
  return valueOf(header, name) ?? (former === undefined ? undefined : valueOf(header, former));
}

function valueOf(header: string, name: string): string | undefined {
  const values = header
    .split(';')
    // Another name may contain this one.
    .filter((pair) => pair.includes(name))
    .flatMap((pair) => parseCookie(pair)[name] ?? []);
  if (new Set(values).size > 1) throw new AmbiguousCookieException(name);
  return values[0];
}
