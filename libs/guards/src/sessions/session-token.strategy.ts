import { hash, KeyObject } from 'node:crypto';
import { type Site } from '@inference/config';
import { UnavailableException } from '@inference/http';
import { tracedFetch } from '@inference/tracing';
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type Request } from 'express';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  type CryptoKey,
  customFetch,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import { Strategy } from 'passport-jwt';
import { type CredentialKind } from '../credentials.decorators';
import { CREDENTIALS_OPTIONS, type CredentialsOptions } from '../credentials.options';
import {
  type AuthenticateOptions,
  type Done,
  doneFor,
  type PassportRequest,
  uniqueName,
} from '../credential.strategy';

export const SESSION_AUDIENCE = 'inference-platform';
const SESSION_ALGORITHM = 'ES256';

/** Returns the issuer claim. It contains the site, so that a token of one site is invalid at the other. */
export const sessionIssuer = (site: Site) => `inference-platform/${site}`;

/** Where a strategy reads the token of a request. */
export interface TokenPlace {
  name: string;
  kind: CredentialKind;
  /** Returns null if there is no token. Throws an HttpException if it is not clear which one counts. */
  tokenOf(request: Request): string | null;
}

/** With the set that the key of a verification belongs to. */
type TokenRequest = PassportRequest & { keySet?: number };

type Verify = (request: Request, claims: JWTPayload, done: Done) => void;

/** passport-jwt with the public keys of the console. Verifies the signature of a token once (see VerifiedTokens). */
export class SessionTokenStrategy extends Strategy {
  constructor(
    private readonly place: TokenPlace,
    private readonly keys: SessionKeyProvider,
    site: Site,
    private readonly verify: Verify,
  ) {
    const verifyOnce = ({ request, keySet }: TokenRequest, claims: JWTPayload, done: Done) => {
      const token = place.tokenOf(request);
      if (token) keys.verified.add(token, claims, keySet);
      verify(request, claims, done);
    };
    super(
      {
        jwtFromRequest: ({ request }: PassportRequest) => place.tokenOf(request),
        secretOrKeyProvider: (presented, token: string, done) => {
          keys
            .find(token)
            // passport-jwt takes a KeyObject, but its types do not say so.
            .then((key) => {
              Object.assign(presented, { keySet: keys.verified.keySet });
              if (key) done(null, key as never);
              else done(new Error('unknown key'));
            })
            .catch(done);
        },
        algorithms: [SESSION_ALGORITHM],
        issuer: sessionIssuer(site),
        audience: SESSION_AUDIENCE,
        passReqToCallback: true,
      },
      verifyOnce,
    );
    this.name = uniqueName(place.name);
  }

  override authenticate(presented: unknown, options: AuthenticateOptions): void {
    const { request } = presented as PassportRequest;
    if (!options.accepts.includes(this.place.kind)) return this.fail(401);
    let token: string | null;
    try {
      token = this.place.tokenOf(request);
    } catch (error) {
      return this.error(error as Error);
    }
    // Missing, or an API key: parsing it would cost more than all else that the guard does.
    if (!token?.includes('.')) return this.fail(401);
    const claims = this.keys.verified.get(token);
    if (claims) this.verify(request, claims, doneFor(this));
    else super.authenticate(presented as Request, options);
  }
}

const JWKS_PATH = '/.well-known/jwks.json';
/** Reload interval; a retired key stays valid for this long at most. */
const RELOAD_MILLIS = 60_000;
/** Shortest interval between two reloads for unknown keys. */
const COOLDOWN_MILLIS = 1_000;

/**
 * The console's public keys. They are reloaded every minute, and at once when a token names an unknown key. While the console
 * is unavailable, the last keys stay in force.
 */
export class SessionKeys {
  private readonly logger = new Logger(SessionKeys.name);
  private readonly remote: ReturnType<typeof createRemoteJWKSet>;
  private timer: NodeJS.Timeout | undefined;
  private isLoaded = false;
  private isAway = false;
  private underWay: Promise<void> | undefined;
  /** On the clock of performance.now(). */
  private askedAtMillis = -Infinity;

  /** @param onReload runs after each reload: keys may have been added or retired */
  constructor(
    consoleUrl: string,
    private readonly onReload: () => void = () => undefined,
  ) {
    this.remote = createRemoteJWKSet(new URL(consoleUrl + JWKS_PATH), {
      cacheMaxAge: Infinity,
      cooldownDuration: Infinity,
      [customFetch]: tracedFetch,
    });
  }

  /** Finds the key of a token. Fails with the reload error if no keys are loaded or the key is not among them. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    if (!this.isLoaded) await this.reload();
    try {
      return await this.remote(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.reloadTogether();
      return this.remote(header, token);
    }
  };

  /** Loads the keys before the first token comes, and keeps them fresh until `stop`. */
  start(): void {
    const reload = () => void this.reload().catch(() => undefined);
    reload();
    this.timer = setInterval(reload, RELOAD_MILLIS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Shares one reload among concurrent callers, at most once per cooldown. */
  private reloadTogether(): Promise<void> {
    return (this.underWay ??= this.reloadCooledDown().finally(() => (this.underWay = undefined)));
  }

  private async reloadCooledDown(): Promise<void> {
    const waitMillis = this.askedAtMillis + COOLDOWN_MILLIS - performance.now();
    if (waitMillis > 0) await new Promise((resolve) => setTimeout(resolve, waitMillis));
    this.askedAtMillis = performance.now();
    await this.reload();
  }

  private async reload(): Promise<void> {
    try {
      await this.remote.reload();
    } catch (error) {
      if (!this.isAway)
        this.logger.warn('The session keys cannot be fetched; the last ones stay valid.', error);
      this.isAway = true;
      throw error;
    }
    this.isLoaded = true;
    this.onReload();
    if (this.isAway) this.logger.log('The session keys can be fetched again.');
    this.isAway = false;
  }
}

/** Chosen: about 10 MB. With more tokens in use than this, the oldest are verified again. */
const MAX_ENTRIES = 20_000;

/**
 * Claims of the tokens whose signature was verified with the present public keys. Verifying a signature takes about 0.1 ms of
 * the event loop. Holds digests of the tokens, not the tokens.
 */
export class VerifiedTokens {
  /** Number of the present set of keys. */
  keySet = 0;
  private readonly claims = new Map<string, JWTPayload>();

  constructor(private readonly maxEntries = MAX_ENTRIES) {}

  /** Returns the claims of a verified token that has not expired. */
  get(token: string): JWTPayload | undefined {
    const claims = this.claims.get(digest(token));
    return claims?.exp !== undefined && claims.exp > Date.now() / 1000 ? claims : undefined;
  }

  /** @param keySet the `keySet` when the key was found: a token that was verified with a former key is not added */
  add(token: string, claims: JWTPayload, keySet = this.keySet): void {
    if (keySet !== this.keySet) return;
    const [oldest] = this.claims.keys();
    if (this.claims.size >= this.maxEntries && oldest !== undefined) this.claims.delete(oldest);
    this.claims.set(digest(token), claims);
  }

  /** Forgets all tokens, since the key of some may have been retired. */
  clear(): void {
    this.keySet++;
    this.claims.clear();
  }
}

const digest = (token: string) => hash('sha256', token, 'base64');

/** Whether an error of jose means an invalid token. Any other error means that the public keys are unavailable. */
function isTokenFault(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC';
}

/** Finds the public key of a session token, and keeps the tokens that were verified with the present keys. */
@Injectable()
export class SessionKeyProvider implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly verified = new VerifiedTokens();
  /** Undefined if the app has the public keys itself. */
  private readonly remoteKeys: SessionKeys | undefined;
  private readonly findKey: JWTVerifyGetKey;
  private readonly keyObjects = new WeakMap<CryptoKey, KeyObject>();

  constructor(@Inject(CREDENTIALS_OPTIONS) options: CredentialsOptions) {
    if ('publicKeys' in options) this.findKey = createLocalJWKSet({ keys: options.publicKeys });
    else {
      this.remoteKeys = new SessionKeys(options.CONSOLE_URL, () => this.verified.clear());
      this.findKey = this.remoteKeys.find;
    }
  }

  onApplicationBootstrap(): void {
    this.remoteKeys?.start();
  }

  onApplicationShutdown(): void {
    this.remoteKeys?.stop();
  }

  /** Returns null if the token names no key of the console. Throws 503 if the public keys are unavailable. */
  async find(token: string): Promise<KeyObject | null> {
    const header = readHeader(token);
    if (header?.alg !== SESSION_ALGORITHM) return null;
    try {
      const key = await this.findKey({ ...header, alg: SESSION_ALGORITHM }, { payload: '', signature: '' });
      return this.keyObject(key as CryptoKey);
    } catch (error) {
      if (isTokenFault(error)) return null;
      const cause = { cause: error };
      throw new UnavailableException(
        'the session keys are unavailable',
        'session_keys_unavailable',
        {},
        cause,
      );
    }
  }

  /** Converts a key of jose for passport-jwt. */
  private keyObject(key: CryptoKey): KeyObject {
    const known = this.keyObjects.get(key) ?? KeyObject.from(key);
    this.keyObjects.set(key, known);
    return known;
  }
}

function readHeader(token: string) {
  try {
    return decodeProtectedHeader(token);
  } catch {
    return null;
  }
}
