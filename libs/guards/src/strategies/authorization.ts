/** The content of a well-formed header `Authorization`. */
export interface Authorization {
  scheme: 'bearer' | 'apikey';
  secret: string;
}

const AUTHORIZATION = /^(bearer|apikey) +(\S+) *$/i;

/** Reads the header `Authorization`: undefined if there is none, null if it is malformed or has another scheme. */
export function readAuthorization(header: string | undefined): Authorization | null | undefined {
  if (header === undefined) return undefined;
  const [, scheme, secret] = AUTHORIZATION.exec(header) ?? [];
  if (scheme === undefined || secret === undefined) return null;
  return { scheme: scheme.toLowerCase() === 'bearer' ? 'bearer' : 'apikey', secret };
}
