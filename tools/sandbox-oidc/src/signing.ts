import { createPrivateKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { decodeJwt, SignJWT } from 'jose';
import { type Behaviour } from './behaviour';

const ALGORITHM = 'RS256';
const KID = 'sandbox';

type SigningKey = JsonWebKey & { kid: string; alg: string; use: string };

export function newSigningKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid: KID, alg: ALGORITHM, use: 'sig' };
}

/** Claims with others in their place; null takes one out. */
export function replaceClaims(claims: object, others: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...claims, ...others }).filter(([, value]) => value !== null));
}

/** The id token as the behaviour wants it. */
export async function spoil(idToken: string, key: SigningKey, told: Behaviour): Promise<string> {
  return new SignJWT(replaceClaims(decodeJwt(idToken), told.id_token))
    .setProtectedHeader({ alg: ALGORITHM, kid: KID, typ: 'JWT' })
    .sign(createPrivateKey({ key: told.foreign_key ? newSigningKey() : key, format: 'jwk' }));
}
