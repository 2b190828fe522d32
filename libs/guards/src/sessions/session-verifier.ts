import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  ServiceUnavailableException,
} from '@nestjs/common';
import { NotificationChannel, SQL_POOL, type SqlPool } from '@inference/database';
import { createLocalJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { type Caller, type Role } from '../caller';
import { CredentialCache } from '../caching/credential-cache';
import { CREDENTIALS_OPTIONS, type CredentialsOptions } from '../credentials.options';
import { SessionKeys } from './session-keys';
import { SESSION_AUDIENCE, sessionIssuer } from './session-token';

const FIND = `
  SELECT s.account_id, a.role FROM accounts.sessions s JOIN accounts.accounts a ON a.id = s.account_id
  WHERE s.id = $1 AND s.account_id = $2 AND s.ended_at IS NULL AND s.expires_at > now()`;

/** Whether an error of jose means an invalid token. Any other error means that the public keys are unavailable. */
function isTokenFault(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC';
}

/** How long an ended session stays valid if its notification is lost. */
const CACHE_SECONDS = 10;

/** Finds the caller of a session JWT. Verifies the signature with the console's public keys and the session in the database. */
@Injectable()
export class SessionVerifier implements OnApplicationBootstrap, OnApplicationShutdown {
  /** Undefined if the app has the public keys itself. */
  private readonly remoteKeys: SessionKeys | undefined;
  private readonly findKey: JWTVerifyGetKey;
  private readonly cache: CredentialCache<Caller>;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CREDENTIALS_OPTIONS) private readonly options: CredentialsOptions,
    channel: NotificationChannel,
  ) {
    if ('publicKeys' in options) this.findKey = createLocalJWKSet({ keys: options.publicKeys });
    else {
      this.remoteKeys = new SessionKeys(options.CONSOLE_URL);
      this.findKey = this.remoteKeys.find;
    }
    this.cache = new CredentialCache<Caller>((options.sessionCacheSeconds ?? CACHE_SECONDS) * 1000);
    channel.on('credentials', (payload) => {
      const [kind, id] = payload.split(':');
      if (kind === 'session') this.cache.forget(({ sessionId }) => sessionId === id);
      if (kind === 'account') this.cache.forget(({ accountId }) => accountId === id);
    });
    channel.onReconnect(() => this.cache.forget(() => true));
  }

  onApplicationBootstrap(): void {
    this.remoteKeys?.start();
  }

  onApplicationShutdown(): void {
    this.remoteKeys?.stop();
  }

  /** Returns null for an invalid token or ended session. Throws 503 if the public keys are unavailable. */
  async verify(token: string): Promise<Caller | null> {
    const claims = await this.verifyToken(token);
    if (!claims) return null;
    return this.cache.get(claims.sessionId, () => this.lookUp(claims.sessionId, claims.accountId));
  }

  private async verifyToken(token: string): Promise<{ sessionId: string; accountId: string } | null> {
    try {
      const { payload } = await jwtVerify(token, this.findKey, {
        algorithms: ['ES256'],
        issuer: sessionIssuer(this.options.SITE),
        audience: SESSION_AUDIENCE,
        requiredClaims: ['sub', 'sid', 'exp'],
      });
      return { sessionId: String(payload.sid), accountId: String(payload.sub) };
    } catch (error) {
      if (isTokenFault(error)) return null;
      throw new ServiceUnavailableException('the session keys are unavailable', { cause: error });
    }
  }

  private async lookUp(sessionId: string, accountId: string): Promise<Caller | null> {
    const { rows } = await this.pool.query<{ account_id: string; role: Role }>(FIND, [sessionId, accountId]);
    return rows[0] ? { accountId: rows[0].account_id, role: rows[0].role, sessionId } : null;
  }
}
