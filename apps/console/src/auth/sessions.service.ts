import { createPrivateKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SESSION_AUDIENCE, sessionIssuer } from '@inference/credentials';
import { newId, SQL_POOL, type SqlPool } from '@inference/database';
import { SignJWT } from 'jose';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';

/** Ends with the second, as the token does, so that row and token expire together. */
const OPEN = `
  INSERT INTO accounts.sessions (id, account_id, expires_at)
  VALUES ($1, $2, date_trunc('second', now()) + make_interval(secs => $3)) RETURNING expires_at`;
const FORGET_OLD = `
  DELETE FROM accounts.sessions WHERE account_id = $1 AND expires_at < now() - interval '1 day'`;
const END = 'UPDATE accounts.sessions SET ended_at = now() WHERE id = $1 AND ended_at IS NULL';

/** Sessions are rows; their tokens are ES256 JWTs, signed by the first of the configured keys. */
@Injectable()
export class SessionsService {
  private readonly kid: string;
  private readonly key: KeyObject;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {
    const [key] = config.SESSION_SIGNING_KEYS;
    if (!key) throw new Error('A console without a signing key.');
    this.kid = key.kid;
    this.key = createPrivateKey({ key, format: 'jwk' });
  }

  /** Opens a session and returns its token. */
  async open(accountId: string): Promise<string> {
    const id = newId('sess');
    const ttlSeconds = this.config.SESSION_TTL_SECONDS;
    await this.pool.query(FORGET_OLD, [accountId]);
    const { rows } = await this.pool.query<{ expires_at: Date }>(OPEN, [id, accountId, ttlSeconds]);
    const expiresAtSeconds = rows[0]!.expires_at.getTime() / 1000;
    return new SignJWT({ sid: id })
      .setProtectedHeader({ alg: 'ES256', kid: this.kid, typ: 'JWT' })
      .setSubject(accountId)
      .setIssuer(sessionIssuer(this.config.SITE))
      .setAudience(SESSION_AUDIENCE)
      .setIssuedAt(expiresAtSeconds - ttlSeconds)
      .setExpirationTime(expiresAtSeconds)
      .sign(this.key);
  }

  async end(sessionId: string): Promise<void> {
    await this.pool.query(END, [sessionId]);
  }
}
