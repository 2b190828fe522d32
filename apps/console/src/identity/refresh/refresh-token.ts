import { createHash, createHmac, randomBytes } from 'node:crypto';

const SERIES_BYTES = 16;
const VALUE_BYTES = 32;
const TEXT = /^[\w-]{64}$/;

/** The content of a refresh cookie: 128 random bits that name the series, and 256 that are replaced. Both are secret. */
export interface RefreshTokenParts {
  series: Buffer;
  value: Buffer;
}

export function newRefreshToken(): RefreshTokenParts {
  return { series: randomBytes(SERIES_BYTES), value: randomBytes(VALUE_BYTES) };
}

/** A random salt, which makes the successor of a value random too. */
export const newSuccessorSalt = (): Buffer => randomBytes(VALUE_BYTES);

/**
 * The token that replaces another one. Whoever presents the former value again within the grace period gets the same successor,
 * although only its hash is stored: it takes both the former value, which the database does not have, and the salt.
 */
export function successorOf({ series, value }: RefreshTokenParts, salt: Buffer): RefreshTokenParts {
  return { series, value: createHmac('sha256', value).update(salt).digest() };
}

export function formatRefreshToken({ series, value }: RefreshTokenParts): string {
  return Buffer.concat([series, value]).toString('base64url');
}

/** Returns null if the text has not the form of a refresh token. */
export function parseRefreshToken(text: string): RefreshTokenParts | null {
  if (!TEXT.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  return { series: bytes.subarray(0, SERIES_BYTES), value: bytes.subarray(SERIES_BYTES) };
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest();

export const seriesHashOf = ({ series }: RefreshTokenParts): Buffer => sha256(series);
export const valueHashOf = ({ value }: RefreshTokenParts): Buffer => sha256(value);
