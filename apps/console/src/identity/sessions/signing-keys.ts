import { createECDH } from 'node:crypto';
import { z } from 'zod';
import { type JwkResponse } from './sessions.dto';

/** The first byte of an uncompressed point (SEC 1, section 2.3.3). */
const UNCOMPRESSED_POINT = Buffer.from([4]);

/** Whether d is the private half of the point (x, y). Tokens signed by a mixed-up pair could not be verified. */
function isKeyPair({ x, y, d }: { x: string; y: string; d: string }): boolean {
  const [publicX, publicY, privateKey] = [x, y, d].map((part) => Buffer.from(part, 'base64url'));
  try {
    const pair = createECDH('prime256v1');
    pair.setPrivateKey(privateKey!);
    return pair.getPublicKey().equals(Buffer.concat([UNCOMPRESSED_POINT, publicX!, publicY!]));
  } catch {
    return false;
  }
}

const coordinate = () => z.string('is missing').regex(/^[A-Za-z0-9_-]{43}$/, 'must be 32 bytes in base64url');

const signingKey = z
  .object({
    kty: z.literal('EC', 'must be EC'),
    crv: z.literal('P-256', 'must be P-256'),
    kid: z.string('is missing').min(1, 'must not be empty').max(200, 'must have at most 200 characters'),
    x: coordinate(),
    y: coordinate(),
    d: coordinate(),
  })
  .refine(isKeyPair, 'is no matching pair of a private and a public key');

/** A private key as JWK. */
export type SigningKey = z.output<typeof signingKey>;

export const signingKeysField = z
  .array(signingKey, 'must be an array of private keys (JWK)')
  .min(1, 'must hold at least one key')
  .refine((keys) => new Set(keys.map(({ kid }) => kid)).size === keys.length, 'must have unique kids');

/** The part of a signing key that may be published. */
export function publicKeyOf({ kty, crv, x, y, kid }: SigningKey): JwkResponse {
  return { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' };
}
