import { type Currency, type Site } from '@inference/config';
import { type Role } from '@inference/guards';
import { newId, type Sql } from '@inference/database';
import { type Position } from '@inference/http';
import { openWallet } from '@inference/wallet';

export const LANGUAGES = ['en', 'zh-CN'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Language of an account that has chosen none. */
export const SITE_LANGUAGE: Record<Site, Language> = { intl: 'en', cn: 'zh-CN' };

export interface NewAccount {
  email: string;
  /** Whether the owner has proved to receive mail at the address. */
  emailVerified?: boolean;
  phone?: string | null;
  username?: string | null;
  /** Null for an account that signs in through a provider only. */
  passwordHash: string | null;
  role: Role;
  language: Language;
}

export interface Account {
  id: string;
  email: string;
  emailVerified: boolean;
  phone: string | null;
  username: string | null;
  role: Role;
  language: Language;
  hasPassword: boolean;
  twoFactor: boolean;
  createdAt: Date;
}

/** What a sign-in needs of an account, read by one statement. */
export interface SignInAccount {
  id: string;
  email: string;
  passwordHash: string | null;
  /** Grows with every change of the credentials (see SessionsService.open). */
  credentialsVersion: number;
  twoFactor: boolean;
}

const HAS_TWO_FACTOR =
  'EXISTS (SELECT FROM accounts.totp t WHERE t.account_id = a.id AND t.enabled_at IS NOT NULL) AS "twoFactor"';
const SIGN_IN = `
  SELECT a.id, a.email, a.password_hash AS "passwordHash", a.credentials_version AS "credentialsVersion",
    ${HAS_TWO_FACTOR} FROM accounts.accounts a`;
const COLUMNS = `
  a.id, a.email, a.email_verified_at IS NOT NULL AS "emailVerified", a.phone, a.username, a.role, a.language,
  a.password_hash IS NOT NULL AS "hasPassword", a.created_at AS "createdAt", ${HAS_TWO_FACTOR}`;
const READ = `SELECT ${COLUMNS} FROM accounts.accounts a WHERE a.id = $1`;
const LIST = `
  SELECT ${COLUMNS}, to_char(a.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
  FROM accounts.accounts a
  WHERE ($1::text IS NULL OR a.email = $1 OR a.phone = $1 OR a.username = $1)
    AND ($2::timestamptz IS NULL OR (a.created_at, a.id) < ($2, $3))
  ORDER BY a.created_at DESC, a.id DESC LIMIT $4`;

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
    `INSERT INTO accounts.accounts
       (id, email, email_verified_at, phone, username, password_hash, role, language)
     VALUES ($1, $2, CASE WHEN $3 THEN now() END, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING id`,
    [
      newId('acct'),
      account.email,
      account.emailVerified ?? false,
      account.phone ?? null,
      account.username ?? null,
      account.passwordHash,
      account.role,
      account.language,
    ],
  );
  const id = rows[0]?.id;
  if (id === undefined) return null;
  await openWallet(sql, id, currency);
  return id;
}

export async function readAccount(sql: Sql, id: string): Promise<Account | null> {
  const { rows } = await sql.query<Account>(READ, [id]);
  return rows[0] ?? null;
}

/** Newest first. A normalized identifier selects the one account that has it; null selects all. */
export async function listAccounts(
  sql: Sql,
  identifier: string | null,
  after: Position | null,
  count: number,
): Promise<(Account & { position: Position })[]> {
  const { rows } = await sql.query<Account & { at: string }>(LIST, [
    identifier,
    after?.at ?? null,
    after?.id ?? null,
    count,
  ]);
  return rows.map(({ at, ...account }) => ({ ...account, position: { at, id: account.id } }));
}

/** @param identifier normalized: an e-mail address, a phone number or a username */
export async function findForLogin(sql: Sql, identifier: string): Promise<SignInAccount | null> {
  const { rows } = await sql.query<SignInAccount>(
    `${SIGN_IN} WHERE a.email = $1 OR a.phone = $1 OR a.username = $1`,
    [identifier],
  );
  return rows[0] ?? null;
}

export async function readForSignIn(sql: Sql, accountId: string): Promise<SignInAccount | null> {
  const { rows } = await sql.query<SignInAccount>(`${SIGN_IN} WHERE a.id = $1`, [accountId]);
  return rows[0] ?? null;
}

/**
 * Locks all admins and the account that is to get another role until the caller's transaction ends, and returns the ids
 * of the admins. All are locked in the order of their ids, so that two changes cannot deadlock.
 */
export async function lockAdmins(sql: Sql, accountId: string): Promise<string[]> {
  const { rows } = await sql.query<{ id: string; role: Role }>(
    "SELECT id, role FROM accounts.accounts WHERE role = 'admin' OR id = $1 ORDER BY id FOR NO KEY UPDATE",
    [accountId],
  );
  return rows.filter(({ role }) => role === 'admin').map(({ id }) => id);
}

/** Gives an account a role and returns the former one, or null if there is no such account. */
export async function setRole(sql: Sql, accountId: string, role: Role): Promise<Role | null> {
  const { rows } = await sql.query<{ before: Role }>(
    `WITH old AS (SELECT id, role FROM accounts.accounts WHERE id = $1 FOR NO KEY UPDATE)
     UPDATE accounts.accounts a SET role = $2 FROM old WHERE a.id = old.id RETURNING old.role AS before`,
    [accountId, role],
  );
  return rows[0]?.before ?? null;
}
