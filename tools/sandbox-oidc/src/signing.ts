import { createPrivateKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { decodeJwt, SignJWT } from 'jose';
import { type InjectedFaults } from './injected-faults';

const ALGORITHM = 'RS256';
const KID = 'sandbox';

type SigningKey = JsonWebKey & { kid: string; alg: string; use: string };

export function newSigningKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid: KID, alg: ALGORITHM, use: 'sig' };
}

/** Replaces claims; null removes a claim. */
export function replaceClaims(claims: object, others: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...claims, ...others }).filter(([, value]) => value !== null));
}

/** Applies the injected faults to an id token. */
export async function falsifyIdToken(
  idToken: string,
  key: SigningKey,
  faults: InjectedFaults,
): Promise<string> {
  return new SignJWT(replaceClaims(decodeJwt(idToken), faults.id_token))
    .setProtectedHeader({ alg: ALGORITHM, kid: KID, typ: 'JWT' })
    .sign(createPrivateKey({ key: faults.foreign_key ? newSigningKey() : key, format: 'jwk' }));
}
