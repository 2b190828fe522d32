import { type ProxyRequest } from './proxy-request';
import { InvalidJsonError } from './request.errors';

function stringify(body: Record<string, unknown>): string {
  try {
    return JSON.stringify(body);
  } catch {
    throw new InvalidJsonError('The body is nested too deeply.');
  }
}

/**
 * Returns the body for the upstream: the client's bytes with the given fields set. Fields that the body does not have yet
 * are inserted at its start, and every other byte stays as it was.
 */
export function withFields(
  { raw, body }: Pick<ProxyRequest, 'raw' | 'body'>,
  fields: Record<string, unknown>,
): Buffer {
  const names = Object.keys(fields);
  if (names.length === 0) return raw;
  if (names.some((name) => Object.hasOwn(body, name))) return Buffer.from(stringify({ ...body, ...fields }));
  const start = raw.indexOf('{') + 1;
  const inserted = JSON.stringify(fields).slice(1, -1);
  return Buffer.concat([raw.subarray(0, start), Buffer.from(`${inserted},`), raw.subarray(start)]);
}
