import { type Sql } from '@inference/database';

const DELETE_ALL = `
  UPDATE accounts.api_keys SET deleted_at = now(), key_hash = NULL
  WHERE account_id = $1 AND deleted_at IS NULL RETURNING id`;

/** Deletes every API key of an account and returns their ids. Part of the caller's transaction. */
export async function deleteAllApiKeys(sql: Sql, accountId: string): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(DELETE_ALL, [accountId]);
  return rows.map(({ id }) => id);
}
