import { createECDH } from 'node:crypto';
import { z } from 'zod';

const UNCOMPRESSED_POINT = Buffer.from([4]);

/** Whether d is the private half of the point (x, y): a mixed-up pair would sign what nobody can verify. */
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

export const signingKeys = z
  .array(signingKey, 'must be an array of private keys (JWK)')
  .min(1, 'must hold at least one key')
  .refine((keys) => new Set(keys.map(({ kid }) => kid)).size === keys.length, 'must have unique kids');

/** 32 random bytes each; the first one encrypts, all decrypt. */
export const encryptionKeys = z
  .string()
  .transform((text) => text.split(',').map((key) => key.trim().toLowerCase()))
  .refine((keys) => keys.every((key) => /^[0-9a-f]{64}$/.test(key)), 'must be keys of 64 hexadecimal digits')
  .refine((keys) => new Set(keys).size === keys.length, 'must name each key once')
  .refine((keys) => keys.every((key) => new Set(key).size > 4), 'must be random')
  .transform((keys) => keys.map((key) => Buffer.from(key, 'hex')));
