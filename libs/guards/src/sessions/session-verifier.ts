import { Inject, Injectable } from '@nestjs/common';
import { Database, NotificationChannel } from '@inference/database';
import { type JWTPayload } from 'jose';
import { type Caller } from '../caller';
import { CredentialCache } from '../caching/credential-cache';
import { CREDENTIALS_OPTIONS, type CredentialsOptions } from '../credentials.options';
import { findSessionRole } from './sessions.repository';

/** How long an ended session stays valid if its notification is lost. */
const CACHE_SECONDS = 10;

/** Finds the caller of a session in the database. */
@Injectable()
export class SessionVerifier {
  private readonly cache: CredentialCache<Caller>;

  constructor(
    private readonly database: Database,
    @Inject(CREDENTIALS_OPTIONS) options: CredentialsOptions,
    channel: NotificationChannel,
  ) {
    this.cache = new CredentialCache<Caller>((options.sessionCacheSeconds ?? CACHE_SECONDS) * 1000);
    channel.on('credentials', (payload) => {
      const [kind, id] = payload.split(':');
      if (kind === 'session') this.cache.forget(({ sessionId }) => sessionId === id);
      if (kind === 'account') this.cache.forget(({ accountId }) => accountId === id);
    });
    channel.onReconnect(() => this.cache.forget(() => true));
  }

  /**
   * Returns null if the session of a verified token has ended or is not the session of the token's account.
   * @param claims the claims of a token whose signature, issuer, audience and times are valid
   */
  async verify({ sid, sub, exp }: JWTPayload): Promise<Caller | null> {
    if (typeof sid !== 'string' || typeof sub !== 'string' || exp === undefined) return null;
    // The account is a part of the key: an entry is of no use to a token of another account.
    return this.cache.get(JSON.stringify([sid, sub]), () => this.lookUp(sid, sub));
  }

  private async lookUp(sessionId: string, accountId: string): Promise<Caller | null> {
    const role = await findSessionRole(this.database, sessionId, accountId);
    return role && { accountId, role, sessionId };
  }
}
