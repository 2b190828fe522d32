import { type Executor } from '@inference/database';
import { type AccountRole } from '../accounts/account-role.entity';

/** SQL text, because the console runs it for every request. */
const FIND_ROLE = `
  SELECT a.role FROM accounts.sessions s JOIN accounts.accounts a ON a.id = s.account_id
  WHERE s.id = $1 AND s.account_id = $2 AND s.ended_at IS NULL AND s.expires_at > now()`;

/** The role of the session's account. Null if the session is unknown, has ended or is another account's. */
export async function findSessionRole(
  executor: Executor,
  id: string,
  accountId: string,
): Promise<AccountRole['role'] | null> {
  const { rows } = await executor.query<Pick<AccountRole, 'role'>>({
    name: 'find_session_role',
    text: FIND_ROLE,
    values: [id, accountId],
  });
  return rows[0]?.role ?? null;
}
