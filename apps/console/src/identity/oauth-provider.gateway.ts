import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  ResponseBodyError,
} from 'openid-client';
import { emailField } from '../accounts/account-fields';
import { SITE_CONFIG, type SiteConfig } from '../site.config';
import { OAUTH_PROVIDERS_CONFIG, type OAuthProvider, type OAuthProvidersConfig } from './identity.config';
import { type OAuthErrorCode, OAuthException } from './oauth.exception';

/** OpenID Connect Core, section 2: at most 255 ASCII characters. */
const SUBJECT = /^[\x21-\x7e]{1,255}$/;

export interface ProviderEmail {
  /** As it is stored. */
  email: string;
  /** Whether the provider says that it has verified the address. */
  verified: boolean;
}

function subjectOf(claims: { sub?: unknown } | undefined): string | null {
  return typeof claims?.sub === 'string' && SUBJECT.test(claims.sub) ? claims.sub : null;
}

/** Returns null if the claims have no valid address. Some providers send the flag as a text, against the specification. */
function emailOf(claims: Record<string, unknown>): ProviderEmail | null {
  const email = emailField.safeParse(claims.email);
  const verified = claims.email_verified === true || claims.email_verified === 'true';
  return email.success ? { email: email.data, verified } : null;
}

/** RFC 8176: what a person has, and what a person knows or is. */
const POSSESSIONS = ['otp', 'hwk', 'swk', 'sc', 'sms', 'tel'];
const OTHER_FACTORS = ['pwd', 'pin', 'kba', 'fpt', 'face', 'iris', 'retina', 'vbm'];

/** Whether the methods are several factors, by the provider's own word or of two kinds. */
const areSeveralFactors = (methods: readonly string[]): boolean =>
  methods.includes('mfa') ||
  [POSSESSIONS, OTHER_FACTORS].every((factors) => methods.some((method) => factors.includes(method)));

/** A claim that lists texts, or is one. */
const textsOf = (claim: unknown): string[] =>
  [claim].flat().filter((text): text is string => typeof text === 'string');

/** Errors of an authorization response that mean that the user did not consent. */
const DENIALS = new Set([
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'login_required',
]);

const OUT_OF_TIME = 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED';
/** Codes of openid-client for a response with a wrong issuer, audience, nonce or signature, or an expired token. */
const INVALID_ANSWERS = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  OUT_OF_TIME,
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_PARSE_ERROR',
  'OAUTH_UNSUPPORTED_OPERATION',
]);

/** Whether the times in a token are why the answer of a provider was refused: by the clock of this host. */
export const isOutOfTime = (error: unknown): boolean =>
  error instanceof OAuthException && error.cause instanceof ClientError && error.cause.code === OUT_OF_TIME;

const ERROR_NAME = /^[a-z_]{1,64}$/;

/** Every other error means that the provider is down, or that this client is not registered there as configured. */
function failureOf(error: unknown): OAuthErrorCode {
  if (error instanceof AuthorizationResponseError && DENIALS.has(error.error)) return 'access_denied';
  if (error instanceof ResponseBodyError && error.status < 500 && error.error === 'invalid_grant')
    return 'sign_in_refused';
  if (error instanceof ClientError && INVALID_ANSWERS.has(error.code ?? '')) return 'sign_in_refused';
  return 'provider_unavailable';
}

/** Describes an error for the log without its message, which may contain codes, tokens and claims. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { name, code, status, error: named } = error as Error & Record<string, unknown>;
  const quotable = typeof named === 'string' && ERROR_NAME.test(named) ? named : undefined;
  const reason = error.cause instanceof Error ? (error.cause as NodeJS.ErrnoException).code : undefined;
  return [name, code, status, quotable, reason].filter((part) => part !== undefined).join(' ');
}

/** Time limit of one call to a provider. */
const TIME_LIMIT_SECONDS = 10;
const DISCOVERY_LIFE_MILLIS = 600_000;

/** Values that bind an authorization response to its request. */
export interface AuthorizationChecks {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** An account of a provider, as its signed id token names it. */
export interface ProviderIdentity {
  issuer: string;
  subject: string;
  /** Whether the provider has asked for a second factor. */
  hasSecondFactor: boolean;
  /** The person's groups that the signed id token or the provider names. Asks for none if the configuration has no roles for them. */
  readGroups(): Promise<string[]>;
  /** Reads the address from the id token or asks the provider; null if it names none. */
  readEmail(): Promise<ProviderEmail | null>;
}

interface Discovered {
  configuration: Promise<Configuration>;
  expiresAtMillis: number;
}

/**
 * The configured OpenID providers. The metadata of each is fetched when it is first needed and again after ten minutes.
 * A failure is not cached and does not affect other providers.
 */
@Injectable()
export class OAuthProviderGateway {
  private readonly logger = new Logger(OAuthProviderGateway.name);
  private readonly discovered = new Map<string, Discovered>();

  constructor(
    @Inject(OAUTH_PROVIDERS_CONFIG) private readonly config: OAuthProvidersConfig,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  find(name: string): OAuthProvider {
    const provider = this.config.providers.find((one) => one.name === name);
    if (!provider) throw new OAuthException('unknown_provider');
    return provider;
  }

  /** Returns null for an issuer that is not configured any more. */
  nameOf(issuer: string): string | null {
    return this.config.providers.find((one) => isSameIssuer(one.issuer, issuer))?.name ?? null;
  }

  async authorizationUrl(
    provider: OAuthProvider,
    { state, nonce, codeVerifier }: AuthorizationChecks,
  ): Promise<string> {
    const configuration = await this.configurationOf(provider);
    return buildAuthorizationUrl(configuration, {
      redirect_uri: this.redirectUri(provider).href,
      scope: provider.scope,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    }).href;
  }

  /** Exchanges the code of a callback for the identity that the provider's signed id token names. */
  identify(
    provider: OAuthProvider,
    query: URLSearchParams,
    checks: AuthorizationChecks,
  ): Promise<ProviderIdentity> {
    return this.orFailure(provider, this.exchange(provider, query, checks));
  }

  private async exchange(
    provider: OAuthProvider,
    query: URLSearchParams,
    { state, nonce, codeVerifier }: AuthorizationChecks,
  ): Promise<ProviderIdentity> {
    const configuration = await this.configurationOf(provider);
    const callback = this.redirectUri(provider);
    callback.search = query.toString();
    const tokens = await authorizationCodeGrant(configuration, callback, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
    });
    const claims = tokens.claims();
    const subject = subjectOf(claims);
    if (!claims || subject === null) throw new OAuthException('sign_in_refused');
    const readEmail = async () => {
      const isInToken = claims.email !== undefined && claims.email_verified !== undefined;
      if (isInToken || configuration.serverMetadata().userinfo_endpoint === undefined) return emailOf(claims);
      return emailOf(await fetchUserInfo(configuration, tokens.access_token, subject));
    };
    const readGroups = async () => {
      const { groups_claim: claim, staff_roles: roles } = provider;
      if (roles.length === 0) return [];
      const isInToken =
        claims[claim] !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined;
      if (isInToken) return textsOf(claims[claim]);
      return textsOf((await fetchUserInfo(configuration, tokens.access_token, subject))[claim]);
    };
    return {
      issuer: claims.iss,
      subject,
      // Whoever signs customers in is not trusted with the factors of the staff.
      hasSecondFactor: provider.staff_roles.length > 0 && areSeveralFactors(textsOf(claims.amr)),
      readGroups: () => this.orFailure(provider, readGroups()),
      readEmail: () => this.orFailure(provider, readEmail()),
    };
  }

  private configurationOf(provider: OAuthProvider): Promise<Configuration> {
    const known = this.discovered.get(provider.name);
    if (known && performance.now() < known.expiresAtMillis) return known.configuration;
    // Every failure of the discovery counts as an outage, because it does not refuse a user.
    const configuration = this.orFailure(provider, discover(provider), () => 'provider_unavailable');
    const found = { configuration, expiresAtMillis: performance.now() + DISCOVERY_LIFE_MILLIS };
    this.discovered.set(provider.name, found);
    configuration.catch(() => {
      if (this.discovered.get(provider.name) === found) this.discovered.delete(provider.name);
    });
    return configuration;
  }

  private redirectUri({ name }: OAuthProvider): URL {
    return new URL(`${this.site.consoleUrl}/api/auth/oauth/${name}/callback`);
  }

  private async orFailure<T>(
    { name }: OAuthProvider,
    work: Promise<T>,
    codeFor: (error: unknown) => OAuthErrorCode = failureOf,
  ): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof OAuthException) throw error;
      const code = codeFor(error);
      if (code !== 'access_denied') this.logger.warn(`${name}: ${code}: ${kindOf(error)}`);
      throw new OAuthException(code, { cause: error });
    }
  }
}

const isSameIssuer = (one: string, other: string) =>
  URL.canParse(other) && new URL(one).href === new URL(other).href;

async function discover(provider: OAuthProvider): Promise<Configuration> {
  const { client_id: clientId, client_secret: secret } = provider;
  const issuer = new URL(provider.issuer);
  const authentication =
    provider.token_endpoint_auth_method === 'client_secret_post'
      ? ClientSecretPost(secret)
      : ClientSecretBasic(secret);
  const configuration = await discovery(issuer, clientId, undefined, authentication, {
    timeout: TIME_LIMIT_SECONDS,
    // The configuration allows issuers without TLS on this machine itself only.
    execute: [enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : [])],
  });
  // openid-client accepts some providers whose tokens come from several issuers; a provider here has one.
  const { issuer: named } = configuration.serverMetadata();
  if (!isSameIssuer(provider.issuer, named))
    throw new Error('The metadata of the provider name another issuer.');
  return configuration;
}
