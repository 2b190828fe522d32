import { type Executor, newId, type Transaction } from '@inference/database';
import { type AccountView } from './account-view.entity';

const INSERT = `
  INSERT INTO accounts.account_views (id, account_id, staff_id, session_id, reason, expires_at)
  VALUES ($1, $2, $3, $4, $5, clock_timestamp() + make_interval(secs => $6))
  RETURNING id, expires_at AS "expiresAt"`;

export async function insertView(
  transaction: Transaction,
  view: Pick<AccountView, 'accountId' | 'staffId' | 'sessionId' | 'reason'>,
  lifeSeconds: number,
): Promise<Pick<AccountView, 'id' | 'expiresAt'>> {
  const { accountId, staffId, sessionId, reason } = view;
  const values = [newId('view'), accountId, staffId, sessionId, reason, lifeSeconds];
  return (await transaction.query<Pick<AccountView, 'id' | 'expiresAt'>>(INSERT, values)).rows[0]!;
}

const END = `
  UPDATE accounts.account_views SET ended_at = clock_timestamp()
  WHERE id = $1 AND account_id = $2 AND staff_id = $3 AND ended_at IS NULL AND expires_at > now()`;

/** Ends a view of a person of the staff. Returns false if there is no such open one. */
export async function endView(
  executor: Executor,
  { id, accountId, staffId }: Pick<AccountView, 'id' | 'accountId' | 'staffId'>,
): Promise<boolean> {
  return (await executor.query(END, [id, accountId, staffId])).rowCount === 1;
}

/** Why a view ended that nobody has ended. */
export type ViewEnd = 'expired' | 'session_ended' | 'role_lost';

export type EndedView = Pick<AccountView, 'id' | 'accountId' | 'staffId'> & { cause: ViewEnd };

const END_DUE = `
  UPDATE accounts.account_views v SET ended_at = least(v.expires_at, now()) FROM (
    SELECT v.id, CASE WHEN v.expires_at <= now() THEN 'expired'
      WHEN s.ended_at IS NOT NULL OR s.expires_at <= now() THEN 'session_ended' ELSE 'role_lost' END AS cause
    FROM accounts.account_views v JOIN accounts.sessions s ON s.id = v.session_id
    JOIN accounts.accounts staff ON staff.id = v.staff_id JOIN accounts.accounts a ON a.id = v.account_id
    WHERE v.ended_at IS NULL AND (v.expires_at <= now() OR s.ended_at IS NOT NULL OR s.expires_at <= now()
      OR staff.suspended_at IS NOT NULL OR NOT staff.role = ANY ($1) OR a.role <> 'user')
    LIMIT $2 FOR UPDATE OF v SKIP LOCKED
  ) due WHERE v.id = due.id
  RETURNING v.id, v.account_id AS "accountId", v.staff_id AS "staffId", due.cause`;

/** Marks views that show nothing any more. @param roles those that may have one */
export async function endDueViews(
  transaction: Transaction,
  roles: readonly string[],
  count: number,
): Promise<EndedView[]> {
  return (await transaction.query<EndedView>(END_DUE, [roles, count])).rows;
}
