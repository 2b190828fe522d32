import { createHash, createHmac, randomBytes } from 'node:crypto';
import { Database, type Executor } from '@inference/database';
import { AccountSuspendedException } from '@inference/guards';
import { Injectable } from '@nestjs/common';
import { type Origin } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import { endSession } from '../sessions/sessions.repository';
import { type AccessToken, SessionsService } from '../sessions/sessions.service';
import {
  insertRefreshToken,
  lockSessionOfSeries,
  readRefreshToken,
  type RefreshableSession,
  replaceRefreshToken,
  type StoredToken,
} from './refresh-tokens.repository';

const SERIES_BYTES = 16;
const VALUE_BYTES = 32;
const TEXT = /^[\w-]{64}$/;

/** The content of a refresh cookie: 128 random bits that name the series, and 256 that are replaced. Both are secret. */
interface RefreshTokenParts {
  series: Buffer;
  value: Buffer;
}

function newRefreshToken(): RefreshTokenParts {
  return { series: randomBytes(SERIES_BYTES), value: randomBytes(VALUE_BYTES) };
}

/** A random salt, which makes the successor of a value random too. */
const newSuccessorSalt = (): Buffer => randomBytes(VALUE_BYTES);

/**
 * The token that replaces another one. Whoever presents the former value again within the grace period gets the same successor,
 * although only its hash is stored: it takes both the former value, which the database does not have, and the salt.
 */
function successorOf({ series, value }: RefreshTokenParts, salt: Buffer): RefreshTokenParts {
  return { series, value: createHmac('sha256', value).update(salt).digest() };
}

function formatRefreshToken({ series, value }: RefreshTokenParts): string {
  return Buffer.concat([series, value]).toString('base64url');
}

/** Returns null if the text has not the form of a refresh token. */
function parseRefreshToken(text: string): RefreshTokenParts | null {
  if (!TEXT.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  return { series: bytes.subarray(0, SERIES_BYTES), value: bytes.subarray(SERIES_BYTES) };
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest();

const seriesHashOf = ({ series }: RefreshTokenParts): Buffer => sha256(series);
const valueHashOf = ({ value }: RefreshTokenParts): Buffer => sha256(value);

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

  /** Returns null if the text is no refresh token of a live session. Throws 403 for a suspended account. The session of a value that was replaced earlier ends. */
  async refresh(text: string, origin: Origin): Promise<RefreshedSession | null> {
    const presented = parseRefreshToken(text);
    if (!presented) return null;
    return this.database.transaction(async (transaction) => {
      const session = await lockSessionOfSeries(transaction, seriesHashOf(presented));
      if (!session) return null;
      // The session stays for the case that the account is reactivated.
      if (session.isSuspended) throw new AccountSuspendedException();
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
