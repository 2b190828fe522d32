import { type Currency } from '@inference/config';
import { type Role } from '@inference/credentials';
import { newId, type Sql } from '@inference/database';
import { openWallet } from '@inference/wallet';

export interface NewAccount {
  email: string;
  phone?: string | null;
  username?: string | null;
  passwordHash: string;
  role: Role;
}

export interface Account {
  id: string;
  email: string;
  phone: string | null;
  username: string | null;
  role: Role;
  createdAt: Date;
}

const COLUMNS = 'id, email, phone, username, role, created_at AS "createdAt"';

/**
 * Inserts an account with its empty wallet and returns its id, or null when its e-mail address, phone number or
 * username is taken. Part of the caller's transaction.
 */
export async function insertAccount(
  sql: Sql,
  account: NewAccount,
  currency: Currency,
): Promise<string | null> {
  const { rows } = await sql.query<{ id: string }>(
    `INSERT INTO accounts.accounts (id, email, phone, username, password_hash, role)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING id`,
    [
      newId('acct'),
      account.email,
      account.phone ?? null,
      account.username ?? null,
      account.passwordHash,
      account.role,
    ],
  );
  const id = rows[0]?.id;
  if (id === undefined) return null;
  await openWallet(sql, id, currency);
  return id;
}

export async function readAccount(sql: Sql, id: string): Promise<Account | null> {
  const { rows } = await sql.query<Account>(`SELECT ${COLUMNS} FROM accounts.accounts WHERE id = $1`, [id]);
  return rows[0] ?? null;
}

/** By a normalised identifier: e-mail address, phone number or username. */
export async function findForLogin(
  sql: Sql,
  identifier: string,
): Promise<{ id: string; email: string; passwordHash: string } | null> {
  const { rows } = await sql.query<{ id: string; email: string; passwordHash: string }>(
    `SELECT id, email, password_hash AS "passwordHash" FROM accounts.accounts
     WHERE email = $1 OR phone = $1 OR username = $1`,
    [identifier],
  );
  return rows[0] ?? null;
}

/** Gives the account with this e-mail address a role. */
export async function setRole(sql: Sql, email: string, role: Role): Promise<void> {
  await sql.query('UPDATE accounts.accounts SET role = $2 WHERE email = $1 AND role <> $2', [email, role]);
}
