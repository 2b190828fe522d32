import { createHmac, timingSafeEqual } from 'node:crypto';

/** Separates these signatures from others that are made with the same secret. */
const PURPOSE = 'download link 1';
const LINKED_KEY = /^[A-Za-z0-9_]{1,64}$/;
const UNIX_SECONDS = /^[1-9]\d{0,14}$/;

/** The signed parts of a link, exactly as they appear in it. */
export interface SignedParts {
  key: string;
  fileName: string;
  /** Unix time in seconds at which the link expires. */
  expires: string;
}

export type Verdict = 'valid' | 'expired' | 'invalid';

/** The file name comes last: only it may contain a line break, so the signed text is unambiguous. */
function sign({ key, fileName, expires }: SignedParts, secret: string): string {
  return createHmac('sha256', secret)
    .update([PURPOSE, key, expires, fileName].join('\n'))
    .digest('base64url');
}

function equals(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** True for a key that a link may have. */
export const isLinkedKey = (text: string): boolean => LINKED_KEY.test(text);

/** Signs with the first secret. Returns 43 characters of base64url. */
export function signLink(parts: SignedParts, secrets: string[]): string {
  return sign(parts, secrets[0]!);
}

/** Accepts a signature by any of the secrets, so that secrets can be rotated while old links are valid. */
export function verifyLink(
  parts: SignedParts & { signature: string },
  secrets: string[],
  nowMillis: number,
): Verdict {
  if (!isLinkedKey(parts.key) || !UNIX_SECONDS.test(parts.expires)) return 'invalid';
  if (!secrets.some((secret) => equals(sign(parts, secret), parts.signature))) return 'invalid';
  return nowMillis < Number(parts.expires) * 1000 ? 'valid' : 'expired';
}
