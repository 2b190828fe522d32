import { newId, type Sql } from '@inference/database';
import { type ProviderIdentity } from '../oauth-providers/oauth-provider.gateway';

export interface Identity {
  id: string;
  accountId: string;
  issuer: string;
  email: string | null;
  createdAt: Date;
}

type Key = Pick<ProviderIdentity, 'issuer' | 'subject'>;

const COLUMNS = 'id, account_id AS "accountId", issuer, email, created_at AS "createdAt"';
const FIND = `SELECT ${COLUMNS} FROM accounts.oauth_identities WHERE issuer = $1 AND subject = $2 FOR SHARE`;
const INSERT = `
  INSERT INTO accounts.oauth_identities (id, account_id, issuer, subject, email) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`;
const LIST = `
  SELECT ${COLUMNS} FROM accounts.oauth_identities WHERE account_id = $1 ORDER BY created_at, id`;
const UNLINK_BEFORE = `
  DELETE FROM accounts.oauth_identities
  WHERE account_id = $1 AND ($2::timestamptz IS NULL OR created_at < $2) RETURNING issuer`;
const DELETE = 'DELETE FROM accounts.oauth_identities WHERE id = $1 AND account_id = $2';

/** Locks the identity, so that it is not unlinked before the caller's transaction ends. */
export async function findIdentity(sql: Sql, { issuer, subject }: Key): Promise<Identity | null> {
  const { rows } = await sql.query<Identity>(FIND, [issuer, subject]);
  return rows[0] ?? null;
}

/** Returns null if the identity is linked already. */
export async function insertIdentity(
  sql: Sql,
  { issuer, subject }: Key,
  accountId: string,
  email: string | null,
): Promise<Identity | null> {
  const { rows } = await sql.query<Identity>(INSERT, [newId('idn'), accountId, issuer, subject, email]);
  return rows[0] ?? null;
}

/** Oldest first. */
export async function listIdentities(sql: Sql, accountId: string): Promise<Identity[]> {
  const { rows } = await sql.query<Identity>(LIST, [accountId]);
  return rows;
}

export async function deleteIdentity(sql: Sql, { id, accountId }: Identity): Promise<void> {
  await sql.query(DELETE, [id, accountId]);
}

/**
 * Deletes the identities that were linked before a time, or all of them, and returns their issuers. Part of the
 * caller's transaction.
 *
 * @param before null for all
 */
export async function unlinkIdentities(
  sql: Sql,
  accountId: string,
  before: string | null,
): Promise<string[]> {
  const { rows } = await sql.query<{ issuer: string }>(UNLINK_BEFORE, [accountId, before]);
  return rows.map(({ issuer }) => issuer);
}
