import { type Sql } from '@inference/database';
import { type Origin } from '../events/request-origin';
import { recordEvent } from '../events/security-events';

const UNLINK = 'DELETE FROM accounts.oauth_identities WHERE account_id = $1 RETURNING issuer';
const DELETE_KEYS = `
  UPDATE accounts.api_keys SET deleted_at = now(), key_hash = NULL
  WHERE account_id = $1 AND deleted_at IS NULL RETURNING id`;

/**
 * Anybody can register an address before its owner does. Whoever is the first to prove to receive its mail gets the
 * account without what somebody else may have left to come back with, or to spend with. Two factors stay: mail alone
 * must not go around them; an admin can turn them off.
 */
export async function takeFromStrangers(sql: Sql, accountId: string, origin: Origin): Promise<void> {
  const event = { accountId, actorId: accountId, origin };
  const unlinked = await sql.query<{ issuer: string }>(UNLINK, [accountId]);
  for (const { issuer } of unlinked.rows)
    await recordEvent(sql, { ...event, type: 'identity.unlinked', details: { issuer } });
  const deleted = await sql.query<{ id: string }>(DELETE_KEYS, [accountId]);
  for (const { id } of deleted.rows)
    await recordEvent(sql, { ...event, type: 'api_key.deleted', details: { api_key_id: id } });
}
