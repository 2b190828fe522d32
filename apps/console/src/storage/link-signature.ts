import { createHmac, timingSafeEqual } from 'node:crypto';

/** Keeps a signature made for another purpose under the same secret from being one of a link. */
const PURPOSE = 'download link 1';
const KEY = /^[A-Za-z0-9_]{1,64}$/;
const UNIX_SECONDS = /^[1-9]\d{0,14}$/;

/** What a link says, and its signature vouches for; all of it as it stands in the link. */
export interface SignedParts {
  key: string;
  fileName: string;
  /** Unix seconds from which on it is refused. */
  expires: string;
}

export type Verdict = 'valid' | 'expired' | 'invalid';

/** The name comes last: it alone may hold a line break, so no other parts read the same. */
function sign({ key, fileName, expires }: SignedParts, secret: string): string {
  return createHmac('sha256', secret)
    .update([PURPOSE, key, expires, fileName].join('\n'))
    .digest('base64url');
}

function equals(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Whether it names a file of the storage, and nothing that leads elsewhere. */
export const isStorageKey = (text: string): boolean => KEY.test(text);

/** By the first secret. The signature is base64url, of 43 characters. */
export function signLink(parts: SignedParts, secrets: string[]): string {
  return sign(parts, secrets[0]!);
}

/** By any of the secrets, so that one can be replaced while links that it has signed are still used. */
export function verifyLink(
  parts: SignedParts & { signature: string },
  secrets: string[],
  nowMillis: number,
): Verdict {
  if (!isStorageKey(parts.key) || !UNIX_SECONDS.test(parts.expires)) return 'invalid';
  if (!secrets.some((secret) => equals(sign(parts, secret), parts.signature))) return 'invalid';
  return nowMillis < Number(parts.expires) * 1000 ? 'valid' : 'expired';
}
