import { type Executor, type Transaction } from '@inference/database';
import { ApiKey } from '@inference/guards';
import { IsNull } from 'typeorm';
import { Account } from '../../accounts/account.entity';

/** What staff says of a suspension; null ends it. */
export type SuspensionTexts = { reason: string; message: string | null } | null;

/** A suspended one keeps the time at which that began. Triggers tell all processes. */
const changeOf = (texts: SuspensionTexts) => ({
  suspendedAt: texts ? () => 'coalesce(suspended_at, now())' : null,
  suspensionReason: texts?.reason ?? null,
  suspensionMessage: texts?.message ?? null,
});

/** The account, locked until the transaction ends. Null if there is none. */
export function lockedAccount(transaction: Transaction, id: string): Promise<Account | null> {
  return transaction.repository(Account).findOne({ where: { id }, lock: { mode: 'for_no_key_update' } });
}

export async function suspendAccount(
  transaction: Transaction,
  id: string,
  texts: SuspensionTexts,
): Promise<void> {
  await transaction.repository(Account).update({ id }, changeOf(texts));
}

/** The account's key that is not deleted, locked until the transaction ends. Null if there is none. */
export function lockedKey(
  transaction: Transaction,
  key: { accountId: string; id: string },
): Promise<ApiKey | null> {
  return transaction
    .repository(ApiKey)
    .findOne({ where: { ...key, deletedAt: IsNull() }, lock: { mode: 'for_no_key_update' } });
}

export async function suspendKey(
  transaction: Transaction,
  key: { accountId: string; id: string },
  texts: SuspensionTexts,
): Promise<void> {
  await transaction.repository(ApiKey).update(key, changeOf(texts));
}

/** All keys of an account, newest first; more than an account has at once, with the deleted ones. */
export function listAllKeys(executor: Executor, accountId: string, count: number): Promise<ApiKey[]> {
  return executor
    .repository(ApiKey)
    .find({ where: { accountId }, order: { createdAt: 'DESC', id: 'DESC' }, take: count });
}
