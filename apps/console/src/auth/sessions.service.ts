import { createPrivateKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SESSION_AUDIENCE, sessionIssuer } from '@inference/credentials';
import { newId, type Sql } from '@inference/database';
import { SignJWT } from 'jose';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';

/**
 * Ends with the second, as the token does, so that row and token expire together. The account's row is locked: a change
 * of its credentials waits, and ends this session too, or was first, and leaves no row to take.
 */
const OPEN = `
  INSERT INTO accounts.sessions (id, account_id, expires_at)
  SELECT $1, id, date_trunc('second', now()) + make_interval(secs => $3) FROM accounts.accounts
  WHERE id = $2 AND credentials_version = $4 FOR SHARE RETURNING expires_at`;
const END = 'UPDATE accounts.sessions SET ended_at = now() WHERE id = $1 AND ended_at IS NULL';
const HOLD = `
  SELECT FROM accounts.sessions
  WHERE id = $1 AND account_id = $2 AND ended_at IS NULL AND expires_at > now() FOR SHARE`;
const END_OTHERS = `
  UPDATE accounts.sessions SET ended_at = now()
  WHERE account_id = $1 AND id IS DISTINCT FROM $2 AND ended_at IS NULL AND expires_at > now()`;

/** Sessions are rows; their tokens are ES256 JWTs, signed by the first of the configured keys. */
@Injectable()
export class SessionsService {
  private readonly kid: string;
  private readonly key: KeyObject;

  constructor(@Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig) {
    const [key] = config.SESSION_SIGNING_KEYS;
    if (!key) throw new Error('A console without a signing key.');
    this.kid = key.kid;
    this.key = createPrivateKey({ key, format: 'jwk' });
  }

  /**
   * Opens a session in the caller's transaction and returns its token, or null when the account's credentials have
   * changed since that version of them was read.
   */
  async open(sql: Sql, accountId: string, credentialsVersion: number): Promise<string | null> {
    const id = newId('sess');
    const ttlSeconds = this.config.SESSION_TTL_SECONDS;
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
      .setIssuer(sessionIssuer(this.config.SITE))
      .setAudience(SESSION_AUDIENCE)
      .setIssuedAt(expiresAtSeconds - ttlSeconds)
      .setExpirationTime(expiresAtSeconds)
      .sign(this.key);
  }

  async end(sql: Sql, sessionId: string): Promise<void> {
    await sql.query(END, [sessionId]);
  }

  /**
   * Whether a session is live; if so, it cannot end before the caller's transaction does. What was let in waits here for
   * whatever is ending it. A lock of the account comes before, one of its identities after.
   */
  async hold(sql: Sql, { accountId, sessionId }: { accountId: string; sessionId: string }): Promise<boolean> {
    const { rowCount } = await sql.query(HOLD, [sessionId, accountId]);
    return rowCount === 1;
  }

  /** Ends all sessions of an account but one, or every one. */
  async endOthers(sql: Sql, accountId: string, keptSessionId: string | null): Promise<void> {
    await sql.query(END_OTHERS, [accountId, keptSessionId]);
  }
}
