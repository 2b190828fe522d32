import {
  type CookieNames,
  cookieNames,
  env,
  isCookieSecure,
  sessionCookieNames,
  withoutPrefix,
} from '@inference/config';
import { STAFF_ROLES } from '@inference/guards';
import { type AllowedOrigins } from '@inference/http';
import { z } from 'zod';
import { isPrivateChannel, type SiteConfig } from '../site.config';
import { type SigningKey, signingKeysField } from './sessions/signing-keys';

export const SESSIONS_CONFIG = Symbol('SESSIONS_CONFIG');

/** Where the refresh cookie is sent. */
const REFRESH_PATH = '/api/auth/refresh';

export const sessionFields = {
  /** JSON array of private EC P-256 keys (JWK), each with a `kid`. The first one signs; all are published. */
  SESSION_SIGNING_KEYS: env.json(signingKeysField),
  /** Life of a session token, in seconds. */
  SESSION_TTL_SECONDS: env.integer(1, 604_800).default(1_800),
  /** Life of a session that is not used, in seconds. Every refresh begins it anew. */
  REFRESH_TTL_SECONDS: env.integer(1, 31_536_000).default(2_592_000),
  ...env.sessionCookie,
  /** Browsers refuse a cookie `__Host-…` that has a path. */
  REFRESH_COOKIE_NAME: env
    .cookieName()
    .regex(/^(?!__Host-)/i, 'must not begin with __Host-')
    .default('refresh'),
};

type SessionOwnFields = z.output<z.ZodObject<typeof sessionFields>>;
type SessionFields = SessionOwnFields & { NODE_ENV: string; CORS_ORIGINS?: AllowedOrigins | undefined };

export interface SessionsConfig {
  /** Never empty. The first one signs; all are published. */
  signingKeys: SigningKey[];
  /** Life of a session token. */
  ttlSeconds: number;
  /** Life of a session, from its last refresh. */
  refreshTtlSeconds: number;
  cookies: {
    session: CookieNames;
    refresh: CookieNames;
    /** Of the session cookie. The refresh cookie goes to the host of the console only. */
    sessionDomain: string | undefined;
    refreshPath: string;
    /** Whether browsers send the cookies over TLS only. */
    isSecure: boolean;
  };
  /** Origins whose pages may refresh a session: the console's, its pages' and those of CORS_ORIGINS. */
  pageOrigins: string[];
}

/** Adds a fault for each pair of values that do not fit together. */
export function checkSessions(
  config: SessionOwnFields & { OAUTH_FLOW_COOKIE_NAME: string },
  context: z.RefinementCtx,
): void {
  const fault = (name: keyof typeof config, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  if (config.REFRESH_TTL_SECONDS < config.SESSION_TTL_SECONDS)
    fault('REFRESH_TTL_SECONDS', 'must not be less than SESSION_TTL_SECONDS');
  for (const name of ['REFRESH_COOKIE_NAME', 'OAUTH_FLOW_COOKIE_NAME'] as const)
    if (withoutPrefix(config[name]) === withoutPrefix(config.SESSION_COOKIE_NAME))
      fault(name, 'must differ from SESSION_COOKIE_NAME');
}

export function sessionsOf(
  config: SessionFields,
  { consoleUrl, consoleUiUrl }: Pick<SiteConfig, 'consoleUrl' | 'consoleUiUrl'>,
): SessionsConfig {
  // `*` names no origin: it lets pages read public answers, not use sessions.
  const corsOrigins = config.CORS_ORIGINS === '*' ? [] : (config.CORS_ORIGINS ?? []);
  const ownOrigins = [consoleUrl, consoleUiUrl].map((url) => new URL(url).origin);
  return {
    signingKeys: config.SESSION_SIGNING_KEYS,
    ttlSeconds: config.SESSION_TTL_SECONDS,
    refreshTtlSeconds: config.REFRESH_TTL_SECONDS,
    cookies: {
      session: sessionCookieNames(config),
      // `__Host-` would need the path `/`, and so every request would carry the cookie.
      refresh: cookieNames(config.REFRESH_COOKIE_NAME, '__Secure-', isCookieSecure(config)),
      sessionDomain: config.COOKIE_DOMAIN,
      // Browsers know the console by its public URL, which may have a path.
      refreshPath: new URL(consoleUrl + REFRESH_PATH).pathname,
      isSecure: isCookieSecure(config),
    },
    pageOrigins: [...new Set([...ownOrigins, ...corsOrigins])],
  };
}

export const API_KEYS_CONFIG = Symbol('API_KEYS_CONFIG');

export const apiKeyFields = {
  ...env.keyHash,
  /** Lists the public keys of the secret scanning service whose reports of leaked keys are obeyed. Without it none is taken. */
  SECRET_SCANNING_KEYS_URL: env
    .httpUrl()
    // Who answers here decides which keys are disabled, so the connection must protect the answer.
    .refine(isPrivateChannel, 'must be https, except on this machine itself')
    .optional(),
};

type ApiKeyFields = z.output<z.ZodObject<typeof apiKeyFields>>;

export interface ApiKeysConfig {
  hashSecret: string;
  /** While one secret replaces the other. */
  otherHashSecret: string | undefined;
  scannerKeysUrl: string | undefined;
}

export function apiKeysOf(config: ApiKeyFields): ApiKeysConfig {
  return {
    hashSecret: config.API_KEY_HASH_SECRET,
    otherHashSecret: config.API_KEY_HASH_OTHER_SECRET,
    scannerKeysUrl: config.SECRET_SCANNING_KEYS_URL,
  };
}

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
  /** Claim of the id token, or else of the userinfo, that lists the groups of a person. */
  groups_claim: z.string().min(1, 'must not be empty').default('groups'),
  /** Roles of the staff by group. The first one that a person is in counts. */
  staff_roles: z
    .array(
      z.strictObject({
        group: z.string('is missing').min(1, 'must not be empty'),
        role: z.enum(STAFF_ROLES, `must be one of ${STAFF_ROLES.join(', ')}`),
      }),
      'must be an array of {group, role}',
    )
    .default([]),
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
   * `{name, issuer, client_id, client_secret, scope?, token_endpoint_auth_method?, groups_claim?, staff_roles?: [{group, role}]}`. None by default. Register
   * `CONSOLE_URL/api/auth/oauth/{name}/callback` as the redirect URI.
   */
  OAUTH_PROVIDERS: oauthProviders.default([]),
  /** Name of the cookie of a flow. Browsers do not tell the ports of a host apart. */
  OAUTH_FLOW_COOKIE_NAME: env.cookieName().default('oauth_flow'),
};

type OAuthProviderFields = z.output<z.ZodObject<typeof oauthProviderFields>> & { NODE_ENV: string };

export interface OAuthProvidersConfig {
  providers: OAuthProvider[];
  flowCookieName: string;
  /** Whether browsers send the cookie of a flow over TLS only. */
  isCookieSecure: boolean;
}

export function oauthProvidersOf(config: OAuthProviderFields): OAuthProvidersConfig {
  return {
    providers: config.OAUTH_PROVIDERS,
    flowCookieName: cookieNames(config.OAUTH_FLOW_COOKIE_NAME, '__Host-', isCookieSecure(config)).name,
    isCookieSecure: isCookieSecure(config),
  };
}

export const SEALED_TOKENS_CONFIG = Symbol('SEALED_TOKENS_CONFIG');

export const sealedTokenFields = {
  /**
   * Comma-separated keys of 64 hexadecimal digits. They encrypt stored secrets that must be read again, such as those
   * of authenticators. The first one encrypts; all decrypt.
   */
  ENCRYPTION_KEYS: env.encryptionKeys(),
};

type SealedTokenFields = z.output<z.ZodObject<typeof sealedTokenFields>>;

export interface SealedTokensConfig {
  /** 32 bytes each, never empty. The first one encrypts; all decrypt. */
  encryptionKeys: Buffer[];
}

export function sealedTokensOf({ ENCRYPTION_KEYS }: SealedTokenFields): SealedTokensConfig {
  return { encryptionKeys: ENCRYPTION_KEYS };
}

export const SIGN_UP_CONFIG = Symbol('SIGN_UP_CONFIG');

export const signUpFields = {
  /** `closed` answers 403 to registrations and to first sign-ins through a provider. */
  SIGNUP: z.enum(['open', 'closed'], 'must be open or closed').default('open'),
};

type SignUpFields = z.output<z.ZodObject<typeof signUpFields>>;

export interface SignUpConfig {
  /** Whether anybody may make an account. */
  isOpen: boolean;
}

export function signUpOf({ SIGNUP }: SignUpFields): SignUpConfig {
  return { isOpen: SIGNUP === 'open' };
}

/** Names the tiers of limits (LimitTier[]), the lowest first. */
export const LIMIT_TIERS = Symbol('LIMIT_TIERS');
