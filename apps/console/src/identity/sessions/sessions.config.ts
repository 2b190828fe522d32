import { env } from '@inference/config';
import { z } from 'zod';
import { type SigningKey, signingKeysField } from './signing-keys';

export const SESSIONS_CONFIG = Symbol('SESSIONS_CONFIG');

export const sessionFields = {
  /** JSON array of private EC P-256 keys (JWK), each with a `kid`. The first one signs; all are published. */
  SESSION_SIGNING_KEYS: env.json(signingKeysField),
  /** Life of a session token, in seconds. */
  SESSION_TTL_SECONDS: env.integer(1, 604_800).default(1_800),
  /** Domain of the session cookie. Without it the cookie goes to the host of the console only. */
  COOKIE_DOMAIN: z
    .string()
    .regex(/^\.?([a-z0-9-]+\.)*[a-z0-9-]+$/i, 'must be a domain name')
    .optional(),
};

type Fields = z.output<z.ZodObject<typeof sessionFields>> & { NODE_ENV: string };

export interface SessionsConfig {
  /** Never empty. The first one signs; all are published. */
  signingKeys: SigningKey[];
  ttlSeconds: number;
  cookieDomain: string | undefined;
  /** Whether browsers send the cookie over TLS only. */
  isCookieSecure: boolean;
}

export function sessionsOf(config: Fields): SessionsConfig {
  return {
    signingKeys: config.SESSION_SIGNING_KEYS,
    ttlSeconds: config.SESSION_TTL_SECONDS,
    cookieDomain: config.COOKIE_DOMAIN,
    isCookieSecure: config.NODE_ENV === 'production',
  };
}
