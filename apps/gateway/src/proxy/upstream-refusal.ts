/** Of an answer whose error has no code. */
export const UPSTREAM_REFUSED = 'upstream_refused';

/** JSON has the charset that the specification promises; servers leave it out. */
export const withCharset = (contentType: string): string =>
  /^application\/json\s*(;|$)/i.test(contentType) ? 'application/json; charset=utf-8' : contentType;

/** `error.code` of an upstream's answer, if it is a plain name. */
export function errorCodeIn(body: Buffer): string | undefined {
  try {
    const { error } = JSON.parse(body.toString('utf8')) as { error?: { code?: unknown } };
    const code = error?.code;
    return typeof code === 'string' && /^[a-z][a-z0-9_.-]{1,63}$/i.test(code) ? code : undefined;
  } catch {
    return undefined;
  }
}
