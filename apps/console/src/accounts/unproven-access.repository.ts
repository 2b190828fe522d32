import { type Executor, type Transaction } from '@inference/database';

const DELETE_WORKSPACE_KEYS = `
  SELECT key_id AS id, workspace_id AS "workspaceId" FROM memo.delete_keys_made_before($1, $2::timestamptz)`;

/**
 * Deletes the workspace keys that an account made before a time, or all of them, and returns them. The memo service asks the
 * database for the key of each request, so they stop at once.
 *
 * @param before with all digits, which a Date does not hold; null for all
 */
export async function deleteWorkspaceKeysMadeBefore(
  transaction: Transaction,
  accountId: string,
  before: string | null,
): Promise<{ id: string; workspaceId: string }[]> {
  const { rows } = await transaction.query<{ id: string; workspaceId: string }>(DELETE_WORKSPACE_KEYS, [
    accountId,
    before,
  ]);
  return rows;
}

/** A key of a workspace that was found in public, and the account that made it. */
export interface LeakedWorkspaceKey {
  id: string;
  workspaceId: string;
  accountId: string;
  name: string;
  prefix: string;
}

const DELETE_LEAKED = `
  SELECT key_id AS id, workspace_id AS "workspaceId", account_id AS "accountId", name, prefix FROM memo.delete_leaked_key($1)`;

/** Deletes the workspace key that is stored under one of these hashes. Returns null if there is none. */
export async function deleteLeakedWorkspaceKey(
  transaction: Transaction,
  hashes: Buffer[],
): Promise<LeakedWorkspaceKey | null> {
  return (await transaction.query<LeakedWorkspaceKey>(DELETE_LEAKED, [hashes])).rows[0] ?? null;
}

const HAS_UNPROVEN_ACCESS = `
  SELECT EXISTS (SELECT FROM accounts.api_keys k
      WHERE k.account_id = a.id AND k.deleted_at IS NULL AND k.created_at < a.email_verified_at)
    OR EXISTS (SELECT FROM accounts.oauth_identities i
      WHERE i.account_id = a.id AND i.created_at < a.email_verified_at)
    OR memo.has_keys_made_before(a.id, a.email_verified_at)
    OR EXISTS (SELECT FROM accounts.totp t WHERE t.account_id = a.id AND t.enabled_at < a.email_verified_at)
    AS "hasAccess"
  FROM accounts.accounts a WHERE a.id = $1`;

/** Whether a reset would delete something that was made before the address was proved. False as long as it is not. */
export async function hasUnprovenAccess(executor: Executor, accountId: string): Promise<boolean> {
  const { rows } = await executor.query<{ hasAccess: boolean }>(HAS_UNPROVEN_ACCESS, [accountId]);
  return rows[0]?.hasAccess ?? false;
}
