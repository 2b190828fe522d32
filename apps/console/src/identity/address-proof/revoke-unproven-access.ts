import { type Transaction } from '@inference/database';
import { deleteApiKeys } from '../api-keys/api-keys.repository';
import { recordAuditEvent } from '../audit-log/audit-log';
import { type Origin } from '../audit-log/request-origin';
import { deleteIdentitiesLinkedBefore } from '../identities/identities.repository';

/**
 * Anybody can register an address before its owner does. So a password reset by mail unlinks the identities that were
 * linked before the address was verified, and the reset that verifies the address also deletes all API keys. The second
 * factor stays, because access to the mail alone must not go around it. An admin can turn it off.
 *
 * @param verifiedAt when the address was first verified, null if it was not until now
 */
export async function revokeUnverifiedAccess(
  transaction: Transaction,
  accountId: string,
  verifiedAt: string | null,
  origin: Origin,
): Promise<void> {
  const event = { accountId, actorId: accountId, origin };
  for (const issuer of await deleteIdentitiesLinkedBefore(transaction, accountId, verifiedAt))
    await recordAuditEvent(transaction, { ...event, type: 'identity.unlinked', details: { issuer } });
  if (verifiedAt !== null) return;
  for (const id of await deleteApiKeys(transaction, { accountId }))
    await recordAuditEvent(transaction, { ...event, type: 'api_key.deleted', details: { api_key_id: id } });
}
