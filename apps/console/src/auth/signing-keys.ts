import { type JWK } from 'jose';
import { type ConsoleConfig } from '../config';

type SigningKey = ConsoleConfig['SESSION_SIGNING_KEYS'][number];

/** The part of a signing key that may be published. */
export function publicKeyOf({ kty, crv, x, y, kid }: SigningKey): JWK {
  return { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' };
}
