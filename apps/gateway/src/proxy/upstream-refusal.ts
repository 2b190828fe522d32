import { parsed } from '../upstreams/answer-json';

/** Of an answer whose error has no code. */
export const UPSTREAM_REFUSED = 'upstream_refused';

/** JSON has the charset that the specification promises; servers leave it out. */
export const withCharset = (contentType: string): string =>
  /^application\/json\s*(;|$)/i.test(contentType) ? 'application/json; charset=utf-8' : contentType;

/** `error.code` of an upstream's answer, if it is a plain name. */
export function errorCodeIn(body: Buffer): string | undefined {
  const code = (parsed(body) as { error?: { code?: unknown } | null } | null | undefined)?.error?.code;
  return typeof code === 'string' && /^[a-z][a-z0-9_.-]{1,63}$/i.test(code) ? code : undefined;
}
