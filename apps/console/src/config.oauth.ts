import { env } from '@inference/config';
import { z } from 'zod';

const HTTP_URL = /^https?:\/\//;
const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What an issuer says decides who is signed in, so nobody on the way may change it. */
export function isPrivateChannel(issuer: string): boolean {
  const { protocol, hostname } = new URL(issuer);
  return protocol === 'https:' || LOOPBACK_HOSTS.has(hostname);
}

const oauthProvider = z.object({
  /** In the URLs of the sign-in: `/api/auth/oauth/{name}`. */
  name: z.string('is missing').regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be 1 to 32 of a-z 0-9 -'),
  /** The issuer identifier, exactly as the provider writes it. */
  issuer: z
    .string('is missing')
    .refine((text) => URL.canParse(text) && HTTP_URL.test(text), 'must be a URL')
    .refine((text) => !/[?#]/.test(text), 'must have no query and no fragment')
    .refine(
      (text) => !URL.canParse(text) || isPrivateChannel(text),
      'must be https, except on this machine itself',
    ),
  client_id: z.string('is missing').min(1, 'must not be empty'),
  client_secret: z.string('is missing').min(1, 'must not be empty'),
  /** How the secret is sent: in the header, which is the standard's default, or in the body. */
  token_endpoint_auth_method: z
    .enum(['client_secret_basic', 'client_secret_post'], 'must be client_secret_basic or client_secret_post')
    .default('client_secret_basic'),
  scope: z
    .string()
    .refine((scope) => scope.split(' ').includes('openid'), 'must include openid')
    .default('openid email'),
});

export type OAuthProvider = z.output<typeof oauthProvider>;

/** A trailing slash does not make another issuer of it. */
const normalised = (issuer: string) => (URL.canParse(issuer) ? new URL(issuer).href : issuer);

/** OpenID Connect issuers that customers may sign in with. */
export const oauthProviders = env.json(
  z
    .array(oauthProvider, 'must be an array')
    .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'must have unique names')
    .refine(
      (list) => new Set(list.map(({ issuer }) => normalised(issuer))).size === list.length,
      'must have unique issuers',
    ),
);
