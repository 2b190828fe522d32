import { BadRequestException, UnsupportedMediaTypeException } from '@nestjs/common';
import { isLosslessNumber, isSafeNumber, parse } from 'lossless-json';

const JSON_TYPE = /^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;
/** A number that may have more digits than a double keeps, or be larger than one. */
const LONG_NUMBER = /\d[\d.]{15,}|\d[eE]/;
/** Strings are matched too, so that digits within them are not taken for numbers. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.]*(?:[eE][+-]?\d+)?/g;

/** Throws 415 unless the content type is JSON in UTF-8. */
export function requireJson(contentType: string | undefined): void {
  if (!JSON_TYPE.test(contentType ?? ''))
    throw new UnsupportedMediaTypeException('the content type must be application/json');
  const charset = CHARSET.exec(contentType ?? '')?.[1]?.toLowerCase();
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')
    throw new UnsupportedMediaTypeException('the charset must be utf-8');
}

/**
 * Parses a body. Throws 400 if it is not JSON. The message never quotes the body.
 * @param refuseInexact throw 400 also for a number that a double cannot hold: 4.999999999999999999 would become 5
 */
export function parseJsonBody(bytes: Buffer, refuseInexact = false): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    if (refuseInexact) requireExactNumbers(text);
    return value;
  } catch (error) {
    if (error instanceof BadRequestException) throw error;
    throw new BadRequestException('the body is not valid JSON');
  }
}

function requireExactNumbers(text: string): void {
  if (!LONG_NUMBER.test(text)) return;
  for (const [token] of text.matchAll(TOKENS)) {
    if (token.startsWith('"') || isSafeNumber(token)) continue;
    const path = pathOfInexact(parse(text)) ?? 'value';
    throw new BadRequestException(`${path}: must not have more digits than can be processed exactly`);
  }
}

/** Finds the first number that a double cannot hold, in the form `list.0.amount`. */
function pathOfInexact(value: unknown, path: string[] = []): string | null {
  if (isLosslessNumber(value)) return isSafeNumber(value.value) ? null : path.join('.') || null;
  if (value === null || typeof value !== 'object') return null;
  for (const [key, inner] of Object.entries(value)) {
    const found = pathOfInexact(inner, [...path, key]);
    if (found !== null) return found;
  }
  return null;
}
