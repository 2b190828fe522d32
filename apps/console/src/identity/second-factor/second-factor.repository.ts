import { type Executor, type Transaction } from '@inference/database';
import { IsNull, LessThan, Not, Raw } from 'typeorm';
import { RecoveryCode, Totp } from './second-factor.entity';

const HAS_PROVIDER_FACTOR = `
  WITH given AS (
    SELECT e.created_at, e.details ? 'provider' AS by_provider FROM accounts.security_events e
    WHERE e.account_id = $1 AND e.type = 'account.role_changed' ORDER BY e.created_at DESC, e.id DESC LIMIT 1)
  SELECT coalesce((SELECT by_provider FROM given), false) OR EXISTS (
    SELECT FROM accounts.security_events e
    WHERE e.account_id = $1 AND e.type = 'session.opened' AND e.details->>'second_factor' = 'provider'
      AND e.created_at > coalesce((SELECT created_at FROM given), '-infinity')) AS "hasProviderFactor"`;

/** Stores the secret of an authenticator to be enabled. Returns false if the account has an enabled one. */
export async function storeTotpSecret(
  executor: Executor,
  accountId: string,
  sealedSecret: string,
): Promise<boolean> {
  const { raw } = await executor
    .repository(Totp)
    .createQueryBuilder()
    .insert()
    .values({ accountId, sealedSecret, lastStep: 0n })
    .orUpdate(['sealed_secret', 'last_step'], ['account_id'], {
      overwriteCondition: { where: { enabledAt: IsNull() } },
    })
    .returning(['accountId'])
    .execute();
  return (raw as unknown[]).length === 1;
}

/** Locks an authenticator that is to be enabled. */
export function lockNewTotp(transaction: Transaction, accountId: string): Promise<Totp | null> {
  return transaction.repository(Totp).findOne({
    where: { accountId, enabledAt: IsNull() },
    lock: { mode: 'pessimistic_write' },
  });
}

export async function enableTotp(transaction: Transaction, accountId: string, step: number): Promise<void> {
  await transaction
    .repository(Totp)
    .update({ accountId }, { enabledAt: () => 'now()', lastStep: BigInt(step) });
}

/** @param purpose `change`: it is to be turned off or gets new recovery codes; `check`: a code is to be checked */
export function lockEnabledTotp(
  transaction: Transaction,
  accountId: string,
  purpose: 'change' | 'check',
): Promise<Totp | null> {
  return transaction.repository(Totp).findOne({
    where: { accountId, enabledAt: Not(IsNull()) },
    lock: { mode: purpose === 'change' ? 'pessimistic_write' : 'for_no_key_update' },
  });
}

/**
 * Uses a code up. Succeeds only if its time step is later than the last accepted one, so of concurrent uses of one code
 * only the first succeeds.
 */
export async function useTotpStep(
  transaction: Transaction,
  accountId: string,
  step: number,
): Promise<boolean> {
  const { affected } = await transaction
    .repository(Totp)
    .update(
      { accountId, enabledAt: Not(IsNull()), lastStep: LessThan(BigInt(step)) },
      { lastStep: BigInt(step) },
    );
  return affected === 1;
}

export function lockAllTotps(transaction: Transaction): Promise<Totp[]> {
  return transaction
    .repository(Totp)
    .find({ order: { accountId: 'ASC' }, lock: { mode: 'pessimistic_write' } });
}

export async function replaceTotpSecret(
  transaction: Transaction,
  accountId: string,
  sealedSecret: string,
): Promise<void> {
  await transaction.repository(Totp).update({ accountId }, { sealedSecret });
}

/** Deletes the authenticator of an account and its recovery codes. */
export async function deleteSecondFactor(transaction: Transaction, accountId: string): Promise<void> {
  await transaction.repository(Totp).delete({ accountId });
  await transaction.repository(RecoveryCode).delete({ accountId });
}

/** Locks the authenticator of an account, whether it is enabled or not. */
export async function lockTotp(transaction: Transaction, accountId: string): Promise<void> {
  await transaction.repository(Totp).findOne({
    select: { accountId: true },
    where: { accountId },
    lock: { mode: 'pessimistic_write' },
  });
}

/**
 * Deletes the second factor of an account if it was enabled before a time, or at any time. Returns 1 if there was one, else 0.
 *
 * @param before with all digits, which a Date does not hold; null for any time
 */
export async function deleteSecondFactorMadeBefore(
  transaction: Transaction,
  accountId: string,
  before: string | null,
): Promise<number> {
  const enabledAt = before === null ? Not(IsNull()) : Raw((column) => `${column} < :before`, { before });
  if (!(await transaction.repository(Totp).existsBy({ accountId, enabledAt }))) return 0;
  await deleteSecondFactor(transaction, accountId);
  return 1;
}

export async function replaceRecoveryCodeHashes(
  transaction: Transaction,
  accountId: string,
  hashes: Buffer[],
): Promise<void> {
  const codes = transaction.repository(RecoveryCode);
  await codes.delete({ accountId });
  await codes.insert(hashes.map((codeHash) => ({ accountId, codeHash })));
}

/** Uses a code up; returns true once for each code. */
export async function useRecoveryCodeHash(
  transaction: Transaction,
  accountId: string,
  codeHash: Buffer,
): Promise<boolean> {
  const { affected } = await transaction
    .repository(RecoveryCode)
    .update({ accountId, codeHash, usedAt: IsNull() }, { usedAt: () => 'now()' });
  return affected === 1;
}

/**
 * Whether the second factor of a member of the staff is that of an OpenID provider, which gave the role or has asked for the factor since a
 * person gave the role.
 */
export async function hasProviderFactor(executor: Executor, accountId: string): Promise<boolean> {
  const { rows } = await executor.query<{ hasProviderFactor: boolean }>(HAS_PROVIDER_FACTOR, [accountId]);
  return rows[0]!.hasProviderFactor;
}
