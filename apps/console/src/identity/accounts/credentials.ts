import { type Sql } from '@inference/database';

const RESET_PASSWORD = `
  WITH old AS (SELECT id, email_verified_at FROM accounts.accounts WHERE id = $1 FOR NO KEY UPDATE)
  UPDATE accounts.accounts a
  SET password_hash = $2, credentials_version = a.credentials_version + 1,
    email_verified_at = CASE WHEN a.email = $3 THEN coalesce(a.email_verified_at, now())
      ELSE a.email_verified_at END
  FROM old WHERE a.id = old.id RETURNING old.email_verified_at::text AS "verifiedAt"`;
const CHANGE_PASSWORD = `
  UPDATE accounts.accounts SET password_hash = $3, credentials_version = credentials_version + 1
  WHERE id = $1 AND credentials_version = $2`;
const MARK_EMAIL_VERIFIED = `
  UPDATE accounts.accounts SET email_verified_at = now()
  WHERE id = $1 AND email = $2 AND email_verified_at IS NULL`;
const INCREMENT_VERSION = `
  UPDATE accounts.accounts SET credentials_version = credentials_version + 1 WHERE id = $1
  RETURNING password_hash IS NOT NULL AS "hasPassword"`;
const IS_ADMIN_AT_VERSION = `
  SELECT FROM accounts.accounts WHERE id = $1 AND credentials_version = $2 AND role = 'admin'`;
const atVersion = (lock: 'FOR SHARE' | 'FOR NO KEY UPDATE') => `
  SELECT FROM accounts.accounts WHERE id = $1 AND credentials_version = $2 ${lock}`;

/*
 * An account's credentials version grows with every change of its password, second factor or identities. Whatever began
 * with an older version is refused. All functions are part of the caller's transaction.
 */

/**
 * Sets the password after a reset by mail, which also proves the address `email`.
 *
 * @returns when the address had been verified before, with all digits; null if it had not
 */
export async function resetPassword(
  sql: Sql,
  accountId: string,
  passwordHash: string,
  email: string,
): Promise<string | null> {
  const { rows } = await sql.query<{ verifiedAt: string | null }>(RESET_PASSWORD, [
    accountId,
    passwordHash,
    email,
  ]);
  return rows[0]?.verifiedAt ?? null;
}

/** Returns false, and changes nothing, if the credentials have changed since that version. */
export async function changePassword(
  sql: Sql,
  accountId: string,
  version: number,
  passwordHash: string,
): Promise<boolean> {
  const { rowCount } = await sql.query(CHANGE_PASSWORD, [accountId, version, passwordHash]);
  return rowCount === 1;
}

/** Returns false if `email` is verified already or is not the account's address any more. */
export async function markEmailVerified(sql: Sql, accountId: string, email: string): Promise<boolean> {
  const { rowCount } = await sql.query(MARK_EMAIL_VERIFIED, [accountId, email]);
  return rowCount === 1;
}

/** Returns whether the account has a password. Locks the account. */
export async function incrementCredentialsVersion(sql: Sql, accountId: string): Promise<boolean> {
  const { rows } = await sql.query<{ hasPassword: boolean }>(INCREMENT_VERSION, [accountId]);
  return rows[0]?.hasPassword ?? false;
}

/**
 * Locks the account if its credentials still have that version, and returns whether they have.
 *
 * @param lock `shared` keeps the credentials from changing; `exclusive` also makes others that lock the account wait
 */
export async function lockCredentials(
  sql: Sql,
  accountId: string,
  version: number,
  lock: 'shared' | 'exclusive',
): Promise<boolean> {
  const statement = atVersion(lock === 'shared' ? 'FOR SHARE' : 'FOR NO KEY UPDATE');
  const { rowCount } = await sql.query(statement, [accountId, version]);
  return rowCount === 1;
}

/** Whether the account is an admin and its credentials still have that version. Locks nothing. */
export async function isAdminAtVersion(sql: Sql, accountId: string, version: number): Promise<boolean> {
  const { rowCount } = await sql.query(IS_ADMIN_AT_VERSION, [accountId, version]);
  return rowCount === 1;
}

/** Makes everybody else who locks the account wait until the caller's transaction ends. */
export async function lockAccount(sql: Sql, accountId: string): Promise<void> {
  await sql.query('SELECT FROM accounts.accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
}
