import { Injectable } from '@nestjs/common';
import { Database, type Executor } from '@inference/database';
import { recordAuditEvent } from '../audit-log/audit-log';
import { type Origin } from '../audit-log/request-origin';
import { endSession } from '../sessions/sessions.repository';
import { type AccessToken, SessionsService } from '../sessions/sessions.service';
import {
  formatRefreshToken,
  newRefreshToken,
  newSuccessorSalt,
  parseRefreshToken,
  type RefreshTokenParts,
  seriesHashOf,
  successorOf,
  valueHashOf,
} from './refresh-token';
import {
  insertRefreshToken,
  lockSessionOfSeries,
  readRefreshToken,
  replaceRefreshToken,
  type RefreshableSession,
  type StoredToken,
} from './refresh-tokens.repository';

/** A session that goes on, with its new tokens. */
export interface RefreshedSession extends AccessToken {
  refreshToken: string;
  user: { id: string; email: string };
}

/** What a presented value is answered with. */
interface Answer {
  token: RefreshTokenParts;
  /** Set if the token is to replace the presented one. */
  successorSalt?: Buffer;
}

/**
 * Continues sessions in browsers. A session has one refresh token, whose value is replaced when it is used. The value before is
 * answered with the present one for ten seconds, because the answer to its first use may have been lost. Meanwhile the present one
 * is not replaced, so that answers which arrive in another order leave the client with a valid value.
 */
@Injectable()
export class RefreshService {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionsService,
  ) {}

  /** Makes the refresh token of a session that is being opened. Only its hash is stored. */
  async issue(executor: Executor, sessionId: string, { address, userAgent }: Origin): Promise<string> {
    const token = newRefreshToken();
    await insertRefreshToken(executor, {
      sessionId,
      seriesHash: seriesHashOf(token),
      valueHash: valueHashOf(token),
      address,
      userAgent,
    });
    return formatRefreshToken(token);
  }

  /** Returns null if the text is no refresh token of a live session. The session of a value that was replaced earlier ends. */
  async refresh(text: string, origin: Origin): Promise<RefreshedSession | null> {
    const presented = parseRefreshToken(text);
    if (!presented) return null;
    return this.database.transaction(async (transaction) => {
      const session = await lockSessionOfSeries(transaction, seriesHashOf(presented));
      if (!session) return null;
      const stored = await readRefreshToken(transaction, session.id);
      const answer = answerTo(presented, stored);
      if (!answer) {
        // Somebody has a copy of the cookie. Nobody can tell whether it is the owner who comes too late.
        await endSession(transaction, session.id);
        await recordAuditEvent(transaction, {
          type: 'session.refresh_token_reused',
          accountId: session.accountId,
          actorId: null,
          origin,
          details: { session_id: session.id },
        });
        return null;
      }
      const { token, successorSalt } = answer;
      if (successorSalt) {
        const { address, userAgent } = origin;
        const valueHash = valueHashOf(token);
        const sessionId = session.id;
        await replaceRefreshToken(transaction, { sessionId, valueHash, successorSalt, address, userAgent });
        await this.sessions.extend(transaction, sessionId);
      }
      return this.refreshed(session, token, stored.now);
    });
  }

  private async refreshed(
    { id, accountId, email }: RefreshableSession,
    token: RefreshTokenParts,
    now: Date,
  ): Promise<RefreshedSession> {
    const access = await this.sessions.sign(id, accountId, now);
    return { ...access, refreshToken: formatRefreshToken(token), user: { id: accountId, email } };
  }
}

/** Returns null for a value that was replaced before the grace period. */
function answerTo(presented: RefreshTokenParts, stored: StoredToken): Answer | null {
  const hash = valueHashOf(presented);
  const { valueHash, formerHash, successorSalt, isInGrace } = stored;
  if (hash.equals(valueHash)) {
    if (isInGrace) return { token: presented };
    const salt = newSuccessorSalt();
    return { token: successorOf(presented, salt), successorSalt: salt };
  }
  const isFormer = formerHash !== null && hash.equals(formerHash);
  return isFormer && isInGrace && successorSalt ? { token: successorOf(presented, successorSalt) } : null;
}
