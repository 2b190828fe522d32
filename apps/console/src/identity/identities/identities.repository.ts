import { type Executor, newId, type Transaction } from '@inference/database';
import { Raw } from 'typeorm';
import { OAuthIdentity } from './oauth-identity.entity';

/** Names an identity at its provider. */
type IdentityKey = Pick<OAuthIdentity, 'issuer' | 'subject'>;

/** Locks the identity, so that it is not unlinked before the transaction ends. */
export function lockIdentity(
  transaction: Transaction,
  { issuer, subject }: IdentityKey,
): Promise<OAuthIdentity | null> {
  return transaction
    .repository(OAuthIdentity)
    .findOne({ where: { issuer, subject }, lock: { mode: 'pessimistic_read' } });
}

/** Returns null if the identity is linked already. */
export async function insertIdentity(
  transaction: Transaction,
  { issuer, subject }: IdentityKey,
  accountId: string,
  email: string | null,
): Promise<OAuthIdentity | null> {
  const identities = transaction.repository(OAuthIdentity);
  const identity = identities.create({ id: newId('idn'), accountId, issuer, subject, email });
  const { raw } = await identities
    .createQueryBuilder()
    .insert()
    .values(identity)
    .orIgnore()
    .returning(['createdAt'])
    .execute();
  return (raw as unknown[]).length === 1 ? identity : null;
}

/** Oldest first. */
export function listIdentities(executor: Executor, accountId: string): Promise<OAuthIdentity[]> {
  return executor
    .repository(OAuthIdentity)
    .find({ where: { accountId }, order: { createdAt: 'ASC', id: 'ASC' } });
}

export async function deleteIdentity(
  transaction: Transaction,
  { id, accountId }: Pick<OAuthIdentity, 'id' | 'accountId'>,
): Promise<void> {
  await transaction.repository(OAuthIdentity).delete({ id, accountId });
}

/**
 * Deletes the identities that were linked before a time, or all of them, and returns their issuers.
 *
 * @param before with all digits, which a Date does not hold; null for all
 * @param kept stays
 */
export async function deleteIdentitiesLinkedBefore(
  transaction: Transaction,
  accountId: string,
  before: string | null,
  kept?: IdentityKey,
): Promise<string[]> {
  const linkedBefore =
    before === null ? {} : { createdAt: Raw((column) => `${column} < :before`, { before }) };
  const deletion = transaction
    .repository(OAuthIdentity)
    .createQueryBuilder()
    .delete()
    .where({ accountId, ...linkedBefore });
  if (kept)
    deletion.andWhere('(issuer, subject) <> (:issuer, :subject)', {
      issuer: kept.issuer,
      subject: kept.subject,
    });
  const { raw } = await deletion.returning(['issuer']).execute();
  return (raw as Pick<OAuthIdentity, 'issuer'>[]).map(({ issuer }) => issuer);
}
