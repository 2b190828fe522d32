import { type Transaction } from '@inference/database';
import { type Origin } from '../accounts/audit-log/actor';
import { recordAuditEvent } from '../accounts/audit-log/audit-log';
import { type AuditEventType } from '../accounts/audit-log/security-event.entity';
import { deleteWorkspaceKeysMadeBefore } from '../accounts/unproven-access.repository';
import { queueSecurityMail } from '../notifications/mail/outbox';
import { deleteApiKeysMadeBefore } from './api-keys/api-keys.repository';
import { deleteIdentitiesLinkedBefore } from './identities/identities.repository';
import { deleteSecondFactorMadeBefore, lockTotp } from './second-factor/second-factor.repository';

interface Proof {
  accountId: string;
  /** When the address was first proved, with all digits, which a Date does not hold; null if it was not until now. */
  provedAt: string | null;
  origin: Origin;
  /** Set if an identity proves the address: it stays. `passwords`: how many the caller has removed. */
  byIdentity?: { issuer: string; subject: string; passwords: number };
}

/**
 * Anybody can register an address before its owner does. So a proof of the address by somebody who need not know the password deletes
 * what was made while the address was unproved: API keys, workspace keys, identities and the second factor. A mail says what
 * was deleted. The caller ends the sessions and replaces the password. It has called `lockBeforeProof` and then locked the account and
 * its sessions.
 */
export async function revokeUnprovenAccess(
  transaction: Transaction,
  { accountId, provedAt, origin, byIdentity }: Proof,
): Promise<void> {
  const record = async (type: AuditEventType, details: Record<string, string> = {}) =>
    recordAuditEvent(transaction, { type, accountId, actorId: accountId, origin, details });
  const identities = await deleteIdentitiesLinkedBefore(transaction, accountId, provedAt, byIdentity);
  for (const issuer of identities) await record('identity.unlinked', { issuer });
  const secondFactors = await deleteSecondFactorMadeBefore(transaction, accountId, provedAt);
  if (secondFactors > 0) await record('two_factor.disabled');
  const apiKeys = await deleteApiKeysMadeBefore(transaction, accountId, provedAt);
  for (const id of apiKeys) await record('api_key.deleted', { api_key_id: id });
  const workspaceKeys = await deleteWorkspaceKeysMadeBefore(transaction, accountId, provedAt);
  for (const { id, workspaceId } of workspaceKeys)
    await record('workspace_key.deleted', { workspace_id: workspaceId, workspace_key_id: id });
  const revoked = {
    apiKeys: apiKeys.length,
    workspaceKeys: workspaceKeys.length,
    identities: identities.length,
    secondFactors,
    passwords: byIdentity?.passwords ?? 0,
  };
  if (Object.values(revoked).some((count) => count > 0))
    await queueSecurityMail(transaction, 'access_revoked', accountId, origin, { revoked });
}

/** Takes the first of the locks of a proof, in the lock order of a sign-in: the authenticator before the account. */
export const lockBeforeProof = (transaction: Transaction, accountId: string): Promise<void> =>
  lockTotp(transaction, accountId);
