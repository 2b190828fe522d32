import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from 'openid-client';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { type OAuthProvider } from '../config.oauth';
import { emailOf, type ProvenEmail, subjectOf } from './claims';
import { type FailureCode, OAuthFailure } from './oauth.failures';
import { failureOf, kindOf } from './provider-errors';

/** Of each call to a provider. */
const TIME_LIMIT_SECONDS = 10;
const DISCOVERY_LIFE_MILLIS = 600_000;

/** What binds an answer to its question. */
export interface Checks {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** Somebody, as a provider has proved. */
export interface ProvenIdentity {
  issuer: string;
  subject: string;
  /** Asks the provider where its id token does not say; null when it vouches for no address. */
  readEmail(): Promise<ProvenEmail | null>;
}

interface Discovered {
  configuration: Promise<Configuration>;
  expiresAtMillis: number;
}

/**
 * The configured OpenID providers. Each is discovered when it is first needed and again after ten minutes; a failure is
 * not remembered, and concerns nobody else.
 */
@Injectable()
export class OAuthProviders {
  private readonly logger = new Logger(OAuthProviders.name);
  private readonly discovered = new Map<string, Discovered>();

  constructor(@Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig) {}

  find(name: string): OAuthProvider {
    const provider = this.config.OAUTH_PROVIDERS.find((one) => one.name === name);
    if (!provider) throw new OAuthFailure('unknown_provider');
    return provider;
  }

  /** Null for an issuer that is not configured any more. */
  nameOf(issuer: string): string | null {
    return this.config.OAUTH_PROVIDERS.find((one) => isSameIssuer(one.issuer, issuer))?.name ?? null;
  }

  async authorizationUrl(provider: OAuthProvider, { state, nonce, codeVerifier }: Checks): Promise<string> {
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

  /** Trades the code of a callback's query for the identity that the provider's signed id token names. */
  identify(provider: OAuthProvider, query: URLSearchParams, checks: Checks): Promise<ProvenIdentity> {
    return this.orFailure(provider, this.exchange(provider, query, checks));
  }

  private async exchange(
    provider: OAuthProvider,
    query: URLSearchParams,
    { state, nonce, codeVerifier }: Checks,
  ): Promise<ProvenIdentity> {
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
    if (!claims || subject === null) throw new OAuthFailure('sign_in_refused');
    const readEmail = async () => {
      const says = claims.email !== undefined && claims.email_verified !== undefined;
      if (says || configuration.serverMetadata().userinfo_endpoint === undefined) return emailOf(claims);
      return emailOf(await fetchUserInfo(configuration, tokens.access_token, subject));
    };
    return { issuer: claims.iss, subject, readEmail: () => this.orFailure(provider, readEmail()) };
  }

  private configurationOf(provider: OAuthProvider): Promise<Configuration> {
    const known = this.discovered.get(provider.name);
    if (known && performance.now() < known.expiresAtMillis) return known.configuration;
    // Whatever is wrong with what a provider says of itself, nobody has been refused by it.
    const configuration = this.orFailure(provider, discover(provider), () => 'provider_unavailable');
    const found = { configuration, expiresAtMillis: performance.now() + DISCOVERY_LIFE_MILLIS };
    this.discovered.set(provider.name, found);
    configuration.catch(() => {
      if (this.discovered.get(provider.name) === found) this.discovered.delete(provider.name);
    });
    return configuration;
  }

  private redirectUri({ name }: OAuthProvider): URL {
    return new URL(`${this.config.CONSOLE_URL}/api/auth/oauth/${name}/callback`);
  }

  private async orFailure<T>(
    { name }: OAuthProvider,
    work: Promise<T>,
    codeFor: (error: unknown) => FailureCode = failureOf,
  ): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof OAuthFailure) throw error;
      const code = codeFor(error);
      if (code !== 'access_denied') this.logger.warn(`${name}: ${code}: ${kindOf(error)}`);
      throw new OAuthFailure(code);
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
    // Without TLS only where the configuration allows an issuer without it: on this machine itself.
    execute: [enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : [])],
  });
  // The library lets some providers pass whose tokens come from many issuers; here a provider is one.
  const { issuer: named } = configuration.serverMetadata();
  if (!isSameIssuer(provider.issuer, named)) throw new Error('The provider calls itself by another name.');
  return configuration;
}
