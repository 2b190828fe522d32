import { createPrivateKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SESSION_AUDIENCE, sessionIssuer } from '@inference/guards';
import { type Executor, newId } from '@inference/database';
import { SignJWT } from 'jose';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { SESSIONS_CONFIG, type SessionsConfig } from './sessions.config';
import { insertSession } from './sessions.repository';

/** A session is a row. Its token is an ES256 JWT that the first of the configured keys signs. */
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
   * Opens a session and returns its token, or null if the account's credentials have changed since that version of them was
   * read.
   */
  async open(executor: Executor, accountId: string, credentialsVersion: number): Promise<string | null> {
    const id = newId('sess');
    const ttlSeconds = this.config.ttlSeconds;
    const expiresAt = await insertSession(executor, { id, accountId, credentialsVersion, ttlSeconds });
    if (!expiresAt) return null;
    const expiresAtSeconds = expiresAt.getTime() / 1000;
    return new SignJWT({ sid: id })
      .setProtectedHeader({ alg: 'ES256', kid: this.kid, typ: 'JWT' })
      .setSubject(accountId)
      .setIssuer(sessionIssuer(this.site.site))
      .setAudience(SESSION_AUDIENCE)
      .setIssuedAt(expiresAtSeconds - ttlSeconds)
      .setExpirationTime(expiresAtSeconds)
      .sign(this.key);
  }
}
