import { createHash } from 'node:crypto';
import { Inject, Injectable, UnauthorizedException } from '@nestjs/common';
import { inTransaction, randomBase62, type Sql, SQL_POOL, type SqlPool } from '@inference/database';
import { type Origin } from '../events/request-origin';
import { recordEvent } from '../events/security-events';
import { type SignInAccount } from './accounts';
import { type ChallengeView, type SessionView } from './auth.dto';
import { SessionsService } from './sessions.service';

/** How somebody showed who they are, before any second factor. */
export type FirstFactor = 'password' | `oauth:${string}`;

const CHALLENGE_SECONDS = 300;
const CHALLENGE_TRIES = 5;
/** 190 bits: an id that nobody finds by trying. */
const CHALLENGE_DIGITS = 32;

const CHALLENGE = `
  INSERT INTO accounts.login_challenges
    (id_hash, account_id, credentials_version, method, tries_left, expires_at)
  VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6)) RETURNING expires_at`;

/** An id is as good as a password until its challenge ends, so that only this is kept of it. */
export const hashChallengeId = (id: string) => createHash('sha256').update(id).digest();

/** The one door to a session: every way of signing in ends here. */
@Injectable()
export class SignInService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    private readonly sessions: SessionsService,
  ) {}

  /**
   * After the first factor: a session, or the challenge for the second factor where the account has one. 401 when the
   * account's credentials have changed since it was read.
   */
  async begin(
    account: SignInAccount,
    method: FirstFactor,
    origin: Origin,
  ): Promise<SessionView | ChallengeView> {
    return inTransaction(this.pool, async (client) => {
      if (!account.twoFactor) return this.open(client, account, { method }, origin);
      const id = `chal_${randomBase62(CHALLENGE_DIGITS)}`;
      const { rows } = await client.query<{ expires_at: Date }>(CHALLENGE, [
        hashChallengeId(id),
        account.id,
        account.credentialsVersion,
        method,
        CHALLENGE_TRIES,
        CHALLENGE_SECONDS,
      ]);
      await recordEvent(client, {
        type: 'login.challenged',
        accountId: account.id,
        actorId: null,
        origin,
        details: { method },
      });
      const expiresAt = rows[0]!.expires_at.toISOString();
      return { challenge: { id, methods: ['totp', 'recovery_code'], expires_at: expiresAt } };
    });
  }

  /** Opens the session, in the caller's transaction; whatever is asked of the account has been shown by now. */
  async open(
    sql: Sql,
    account: Pick<SignInAccount, 'id' | 'email' | 'credentialsVersion'>,
    how: { method: string; second_factor?: 'totp' | 'recovery_code' },
    origin: Origin,
  ): Promise<SessionView> {
    const { id, email, credentialsVersion } = account;
    const token = await this.sessions.open(sql, id, credentialsVersion);
    if (token === null) throw new UnauthorizedException('the credentials of the account have just changed');
    await recordEvent(sql, { type: 'session.opened', accountId: id, actorId: id, origin, details: how });
    return { token, user: { id, email } };
  }
}
