import { type Sql } from '@inference/database';
import { type Origin } from '../events/request-origin';
import { recordEvent } from '../events/security-events';

const UNLINK = `
  DELETE FROM accounts.oauth_identities
  WHERE account_id = $1 AND ($2::timestamptz IS NULL OR created_at < $2) RETURNING issuer`;
const DELETE_KEYS = `
  UPDATE accounts.api_keys SET deleted_at = now(), key_hash = NULL
  WHERE account_id = $1 AND deleted_at IS NULL RETURNING id`;

/**
 * Anybody can register an address before its owner does. Whoever resets the password by mail gets the account without
 * the identities that were linked before somebody had proved to receive that mail, and whoever is the first to prove
 * it, without the API keys too. Two factors stay: mail alone must not go around them; an admin can turn them off.
 *
 * @param provenAt when the address was proved first, null when it was not until now
 */
export async function takeFromStrangers(
  sql: Sql,
  accountId: string,
  provenAt: string | null,
  origin: Origin,
): Promise<void> {
  const event = { accountId, actorId: accountId, origin };
  const unlinked = await sql.query<{ issuer: string }>(UNLINK, [accountId, provenAt]);
  for (const { issuer } of unlinked.rows)
    await recordEvent(sql, { ...event, type: 'identity.unlinked', details: { issuer } });
  if (provenAt !== null) return;
  const deleted = await sql.query<{ id: string }>(DELETE_KEYS, [accountId]);
  for (const { id } of deleted.rows)
    await recordEvent(sql, { ...event, type: 'api_key.deleted', details: { api_key_id: id } });
}
