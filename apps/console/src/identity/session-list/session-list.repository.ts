import { type Executor } from '@inference/database';
import { type Session } from '@inference/guards';
import { type RefreshToken } from '../refresh/refresh-token.entity';

/** A session has no refresh token if a console of a version before they existed has opened it. */
const LIST = `
  SELECT * FROM (
    SELECT s.id, s.created_at AS "createdAt", coalesce(t.used_at, s.created_at) AS "usedAt", t.address,
      t.user_agent AS "userAgent"
    FROM accounts.sessions s LEFT JOIN accounts.refresh_tokens t ON t.session_id = s.id
    WHERE s.account_id = $1 AND s.ended_at IS NULL AND s.expires_at > now()
    ORDER BY s.id = $2 DESC, "usedAt" DESC, s.id LIMIT $3
  ) listed ORDER BY "usedAt" DESC, id`;

type ListedSession = Pick<Session, 'id' | 'createdAt'> &
  Pick<RefreshToken, 'usedAt' | 'address' | 'userAgent'>;

/** The account's live sessions, newest use first. Of more than `count` the caller's own and those used last. */
export async function listLiveSessions(
  executor: Executor,
  { accountId, sessionId }: { accountId: string; sessionId: string },
  count: number,
): Promise<ListedSession[]> {
  return (await executor.query<ListedSession>(LIST, [accountId, sessionId, count])).rows;
}
