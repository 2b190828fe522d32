import { cookieNames, env, isCookieSecure } from '@inference/config';
import { z } from 'zod';
import { isPrivateChannel } from '../../validation/secure-url';

export const OAUTH_PROVIDERS_CONFIG = Symbol('OAUTH_PROVIDERS_CONFIG');

const HTTP_URL = /^https?:\/\//;

const oauthProvider = z.object({
  /** Part of the URLs of the sign-in: `/api/auth/oauth/{name}`. */
  name: z.string('is missing').regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be 1 to 32 of a-z 0-9 -'),
  /** The issuer identifier, exactly as the provider writes it. */
  issuer: z
    .string('is missing')
    .refine((text) => URL.canParse(text) && HTTP_URL.test(text), 'must be a URL')
    .refine((text) => !/[?#]/.test(text), 'must have no query and no fragment')
    // The issuer decides who is signed in, so the connection must protect its answers.
    .refine(
      (text) => !URL.canParse(text) || isPrivateChannel(text),
      'must be https, except on this machine itself',
    ),
  client_id: z.string('is missing').min(1, 'must not be empty'),
  client_secret: z.string('is missing').min(1, 'must not be empty'),
  /** Whether the secret is sent in the header, which is the default of the standard, or in the body. */
  token_endpoint_auth_method: z
    .enum(['client_secret_basic', 'client_secret_post'], 'must be client_secret_basic or client_secret_post')
    .default('client_secret_basic'),
  scope: z
    .string()
    .refine((scope) => scope.split(' ').includes('openid'), 'must include openid')
    .default('openid email'),
});

export type OAuthProvider = z.output<typeof oauthProvider>;

/** Issuers that differ by a trailing slash only are the same. */
const normalized = (issuer: string) => (URL.canParse(issuer) ? new URL(issuer).href : issuer);

const oauthProviders = env.json(
  z
    .array(oauthProvider, 'must be an array')
    .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'must have unique names')
    .refine(
      (list) => new Set(list.map(({ issuer }) => normalized(issuer))).size === list.length,
      'must have unique issuers',
    ),
);

export const oauthProviderFields = {
  /**
   * JSON array of the OpenID Connect issuers that customers may sign in with:
   * `{name, issuer, client_id, client_secret, scope?, token_endpoint_auth_method?}`. None by default. Register
   * `CONSOLE_URL/api/auth/oauth/{name}/callback` as the redirect URI.
   */
  OAUTH_PROVIDERS: oauthProviders.default([]),
  /** Name of the cookie of a flow. Browsers do not tell the ports of a host apart. */
  OAUTH_FLOW_COOKIE_NAME: env.cookieName().default('oauth_flow'),
};

type Fields = z.output<z.ZodObject<typeof oauthProviderFields>> & { NODE_ENV: string };

export interface OAuthProvidersConfig {
  providers: OAuthProvider[];
  flowCookieName: string;
  /** Whether browsers send the cookie of a flow over TLS only. */
  isCookieSecure: boolean;
}

export function oauthProvidersOf(config: Fields): OAuthProvidersConfig {
  return {
    providers: config.OAUTH_PROVIDERS,
    flowCookieName: cookieNames(config.OAUTH_FLOW_COOKIE_NAME, '__Host-', isCookieSecure(config)).name,
    isCookieSecure: isCookieSecure(config),
  };
}
