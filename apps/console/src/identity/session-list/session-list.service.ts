import { Injectable, NotFoundException, UnauthorizedException } from '@nestjs/common';
import { Database } from '@inference/database';
import { lockAccount } from '../accounts/credentials.repository';
import { type Actor } from '../audit-log/actor';
import { recordActorEvent } from '../audit-log/audit-log';
import { endOtherSessions, endSessionOf, lockLiveSession } from '../sessions/sessions.repository';
import { deviceOf } from './device';
import { type ListedSessionResponse } from './session-list.dto';
import { listLiveSessions } from './session-list.repository';

/** Chosen: more than a person has. Sessions of programs that never sign out are beyond it. */
const MAX_LISTED = 100;

/** The sessions of an account, for its owner. */
@Injectable()
export class SessionListService {
  constructor(private readonly database: Database) {}

  async list(actor: Actor): Promise<ListedSessionResponse[]> {
    const sessions = await listLiveSessions(this.database, actor, MAX_LISTED);
    return sessions.map(({ id, userAgent, address, createdAt, usedAt }) => ({
      id,
      device: deviceOf(userAgent),
      ip_address: address,
      created_at: createdAt.toISOString(),
      last_used_at: usedAt.toISOString(),
      current: id === actor.sessionId,
    }));
  }

  async end(actor: Actor, id: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      if (!(await endSessionOf(transaction, actor.accountId, id)))
        throw new NotFoundException('no such session');
      await recordActorEvent(transaction, actor, 'session.ended', { session_id: id });
    });
  }

  async endOthers(actor: Actor): Promise<void> {
    const { accountId, sessionId } = actor;
    await this.database.transaction(async (transaction) => {
      // Two requests that end many sessions must not wait for each other's.
      await lockAccount(transaction, accountId);
      // The session may have ended while this transaction waited for the lock of the account.
      if (!(await lockLiveSession(transaction, { accountId, sessionId })))
        throw new UnauthorizedException('the session has just ended');
      const count = await endOtherSessions(transaction, accountId, sessionId);
      await recordActorEvent(transaction, actor, 'session.others_ended', { count });
    });
  }
}
