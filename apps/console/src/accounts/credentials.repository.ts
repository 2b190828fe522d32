import { type Transaction } from '@inference/database';
import { type Role } from '@inference/guards';
import { IsNull, Not } from 'typeorm';
import { Account } from './account.entity';

const RESET_PASSWORD = `
  WITH old AS (SELECT id, email_verified_at FROM accounts.accounts WHERE id = $1 FOR NO KEY UPDATE)
  UPDATE accounts.accounts a
  SET password_hash = $2, credentials_version = a.credentials_version + 1,
    email_verified_at = CASE WHEN a.email = $3 THEN coalesce(a.email_verified_at, now())
      ELSE a.email_verified_at END
  FROM old WHERE a.id = old.id RETURNING old.email_verified_at::text AS "verifiedAt"`;

const PROVE_BY_IDENTITY = `
  WITH old AS (
    SELECT id, password_hash FROM accounts.accounts
    WHERE id = $1 AND credentials_version = $2 AND email_verified_at IS NULL FOR NO KEY UPDATE)
  UPDATE accounts.accounts a
  SET email_verified_at = now(), password_hash = NULL, credentials_version = a.credentials_version + 1
  FROM old WHERE a.id = old.id RETURNING old.password_hash IS NOT NULL AS "hadPassword"`;

const nextVersion = () => 'credentials_version + 1';

/*
 * An account's credentials version grows with every change of its password, second factor or identities. Whatever began
 * with an older version is refused.
 */

/**
 * Sets the password after a reset by mail, which also proves the address `email`.
 *
 * @returns when the address had been verified before, with all digits; null if it had not
 */
export async function resetPassword(
  transaction: Transaction,
  accountId: string,
  passwordHash: string,
  email: string,
): Promise<string | null> {
  const { rows } = await transaction.query<{ verifiedAt: string | null }>(RESET_PASSWORD, [
    accountId,
    passwordHash,
    email,
  ]);
  return rows[0]?.verifiedAt ?? null;
}

/**
 * Confirms the address of an account that nobody has confirmed, and removes its password, which somebody else may have set.
 *
 * @returns whether there was a password; null, and nothing changes, if the credentials have changed since that version or the address
 *   is confirmed
 */
export async function proveAddressByIdentity(
  transaction: Transaction,
  accountId: string,
  version: number,
): Promise<{ hadPassword: boolean } | null> {
  const { rows } = await transaction.query<{ hadPassword: boolean }>(PROVE_BY_IDENTITY, [accountId, version]);
  return rows[0] ?? null;
}

/** Returns false, and changes nothing, if the credentials have changed since that version. */
export async function changePassword(
  transaction: Transaction,
  accountId: string,
  version: number,
  passwordHash: string,
): Promise<boolean> {
  const { affected } = await transaction
    .repository(Account)
    .update(
      { id: accountId, credentialsVersion: version },
      { passwordHash, credentialsVersion: nextVersion },
    );
  return affected === 1;
}

export const isEmailVerified = (transaction: Transaction, accountId: string): Promise<boolean> =>
  transaction.repository(Account).existsBy({ id: accountId, emailVerifiedAt: Not(IsNull()) });

/** Returns false if `email` is verified already or is not the account's address any more. */
export async function markEmailVerified(
  transaction: Transaction,
  accountId: string,
  email: string,
): Promise<boolean> {
  const { affected } = await transaction
    .repository(Account)
    .update({ id: accountId, email, emailVerifiedAt: IsNull() }, { emailVerifiedAt: () => 'now()' });
  return affected === 1;
}

/** Returns whether the account has a password. Locks the account. */
export async function incrementCredentialsVersion(
  transaction: Transaction,
  accountId: string,
): Promise<boolean> {
  const { raw } = await transaction
    .repository(Account)
    .createQueryBuilder()
    .update({ credentialsVersion: nextVersion })
    .where({ id: accountId })
    .returning('password_hash IS NOT NULL AS "hasPassword"')
    .execute();
  return (raw as Pick<Account, 'hasPassword'>[])[0]?.hasPassword ?? false;
}

/**
 * Locks the account if its credentials still have that version, and returns whether they have.
 *
 * @param lock `shared` keeps the credentials from changing; `exclusive` also makes others that lock the account wait
 */
export async function lockCredentials(
  transaction: Transaction,
  accountId: string,
  version: number,
  lock: 'shared' | 'exclusive',
): Promise<boolean> {
  const account = await transaction.repository(Account).findOne({
    select: { id: true },
    where: { id: accountId, credentialsVersion: version },
    lock: { mode: lock === 'shared' ? 'pessimistic_read' : 'for_no_key_update' },
  });
  return account !== null;
}

/** The role of the account, if its credentials still have that version; null if they have not. Locks nothing. */
export async function roleAtVersion(
  transaction: Transaction,
  accountId: string,
  version: number,
): Promise<Role | null> {
  const account = await transaction
    .repository(Account)
    .findOne({ select: { id: true, role: true }, where: { id: accountId, credentialsVersion: version } });
  return account?.role ?? null;
}

/** Makes everybody else who locks the account wait until the transaction ends. */
export async function lockAccount(transaction: Transaction, accountId: string): Promise<void> {
  await transaction.repository(Account).findOne({
    select: { id: true },
    where: { id: accountId },
    lock: { mode: 'for_no_key_update' },
  });
}
