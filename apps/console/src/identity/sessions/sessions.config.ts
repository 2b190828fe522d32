import {
  type CookieNames,
  cookieNames,
  env,
  isCookieSecure,
  sessionCookieNames,
  withoutPrefix,
} from '@inference/config';
import { type AllowedOrigins } from '@inference/http';
import { type z } from 'zod';
import { type SiteConfig } from '../../site.config';
import { type SigningKey, signingKeysField } from './signing-keys';

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

type OwnFields = z.output<z.ZodObject<typeof sessionFields>>;
type Fields = OwnFields & { NODE_ENV: string; CORS_ORIGINS?: AllowedOrigins | undefined };

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
  config: OwnFields & { OAUTH_FLOW_COOKIE_NAME: string },
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
  config: Fields,
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
