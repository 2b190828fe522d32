import { createPrivateKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SESSION_AUDIENCE, sessionIssuer } from '@inference/guards';
import { newId, type Sql } from '@inference/database';
import { SignJWT } from 'jose';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { SESSIONS_CONFIG, type SessionsConfig } from './sessions.config';

/**
 * The expiry is a whole second, like that of the token, so that both expire together. The lock of the account orders
 * this statement and a concurrent change of the credentials: if the change comes first, no row is inserted; if it comes
 * second, it also ends this session.
 */
const OPEN = `
  INSERT INTO accounts.sessions (id, account_id, expires_at)
  SELECT $1, id, date_trunc('second', now()) + make_interval(secs => $3) FROM accounts.accounts
  WHERE id = $2 AND credentials_version = $4 FOR SHARE RETURNING expires_at`;
const IS_RECENT = `
  SELECT FROM accounts.sessions WHERE id = $1 AND created_at > now() - interval '10 minutes'`;
const END = 'UPDATE accounts.sessions SET ended_at = now() WHERE id = $1 AND ended_at IS NULL';
const LOCK_SESSION = `
  SELECT FROM accounts.sessions
  WHERE id = $1 AND account_id = $2 AND ended_at IS NULL AND expires_at > now() FOR SHARE`;
const END_OTHERS = `
  UPDATE accounts.sessions SET ended_at = now()
  WHERE account_id = $1 AND id IS DISTINCT FROM $2 AND ended_at IS NULL AND expires_at > now()`;

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
   * Opens a session in the caller's transaction and returns its token, or null if the account's credentials have
   * changed since that version of them was read.
   */
  async open(sql: Sql, accountId: string, credentialsVersion: number): Promise<string | null> {
    const id = newId('sess');
    const ttlSeconds = this.config.ttlSeconds;
    const { rows } = await sql.query<{ expires_at: Date }>(OPEN, [
      id,
      accountId,
      ttlSeconds,
      credentialsVersion,
    ]);
    if (!rows[0]) return null;
    const expiresAtSeconds = rows[0].expires_at.getTime() / 1000;
    return new SignJWT({ sid: id })
      .setProtectedHeader({ alg: 'ES256', kid: this.kid, typ: 'JWT' })
      .setSubject(accountId)
      .setIssuer(sessionIssuer(this.site.site))
      .setAudience(SESSION_AUDIENCE)
      .setIssuedAt(expiresAtSeconds - ttlSeconds)
      .setExpirationTime(expiresAtSeconds)
      .sign(this.key);
  }

  /** Whether the session was opened within the last ten minutes. */
  async isRecent(sql: Sql, sessionId: string): Promise<boolean> {
    const { rowCount } = await sql.query(IS_RECENT, [sessionId]);
    return rowCount === 1;
  }

  async end(sql: Sql, sessionId: string): Promise<void> {
    await sql.query(END, [sessionId]);
  }

  /**
   * Locks a session so that it cannot end before the caller's transaction does, and returns whether it is live. It
   * waits for a transaction that is ending the session. Lock order: account, session, identity.
   */
  async hold(sql: Sql, { accountId, sessionId }: { accountId: string; sessionId: string }): Promise<boolean> {
    const { rowCount } = await sql.query(LOCK_SESSION, [sessionId, accountId]);
    return rowCount === 1;
  }

  /** Ends all sessions of an account except `keptSessionId`; null keeps none. */
  async endOthers(sql: Sql, accountId: string, keptSessionId: string | null): Promise<void> {
    await sql.query(END_OTHERS, [accountId, keptSessionId]);
  }
}
