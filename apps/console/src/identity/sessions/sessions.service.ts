import { createPrivateKey, type KeyObject } from 'node:crypto';
import { type Executor, newId, type Transaction } from '@inference/database';
import { type SecondFactorProof, SESSION_AUDIENCE, sessionIssuer } from '@inference/guards';
import { Inject, Injectable } from '@nestjs/common';
import { SignJWT } from 'jose';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { SESSIONS_CONFIG, type SessionsConfig } from '../identity.config';
import { wrongClock } from '../wrong-clock';
import { extendSession, insertSession } from './sessions.repository';

/** Chosen: a transaction may take that long from its `now()` to the token. Shorter, and tokens of a second's life could be refused. */
const MAX_SIGNING_MILLIS = 5_000;

export interface AccessToken {
  /** The session token (JWT). */
  token: string;
  expiresAt: Date;
}

export interface OpenedSession extends AccessToken {
  id: string;
}

/**
 * A session is a row, which lives as long as its refresh token. Its session tokens are ES256 JWTs that the first of the configured
 * keys signs.
 */
@Injectable()
export class SessionsService {
  private readonly kid: string;
  private readonly key: KeyObject;

  constructor(
    @Inject(SESSIONS_CONFIG) private readonly config: SessionsConfig,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {
    const [key] = config.signingKeys;
    if (!key) throw new Error('The console has no signing key.');
    this.kid = key.kid;
    this.key = createPrivateKey({ key, format: 'jwk' });
  }

  /**
   * Opens a session, or returns null if the account's credentials have changed since that version of them was read.
   */
  async open(
    executor: Executor,
    accountId: string,
    credentialsVersion: number,
    secondFactor: SecondFactorProof | null,
  ): Promise<OpenedSession | null> {
    const id = newId('sess');
    const ttlSeconds = this.config.refreshTtlSeconds;
    const openedAt = await insertSession(executor, {
      id,
      accountId,
      credentialsVersion,
      secondFactor,
      ttlSeconds,
    });
    return openedAt && { id, ...(await this.sign(id, accountId, openedAt)) };
  }

  /** Begins the life of a live session anew. */
  extend(transaction: Transaction, id: string): Promise<void> {
    return extendSession(transaction, id, this.config.refreshTtlSeconds);
  }

  /**
   * Throws 503 if the token would have expired by the clock of this host, which checks it.
   * @param now of the database, in whole seconds, like the times of a token
   */
  async sign(sessionId: string, accountId: string, now: Date): Promise<AccessToken> {
    const aheadMillis = Date.now() - now.getTime();
    if (aheadMillis >= Math.max(this.config.ttlSeconds * 1_000, MAX_SIGNING_MILLIS))
      throw wrongClock(aheadMillis);
    const nowSeconds = now.getTime() / 1000;
    const expiresAtSeconds = nowSeconds + this.config.ttlSeconds;
    const token = await new SignJWT({ sid: sessionId })
      .setProtectedHeader({ alg: 'ES256', kid: this.kid, typ: 'JWT' })
      .setSubject(accountId)
      .setIssuer(sessionIssuer(this.site.site))
      .setAudience(SESSION_AUDIENCE)
      .setIssuedAt(nowSeconds)
      .setExpirationTime(expiresAtSeconds)
      .sign(this.key);
    return { token, expiresAt: new Date(expiresAtSeconds * 1000) };
  }
}
