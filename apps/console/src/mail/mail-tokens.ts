import { createHash } from 'node:crypto';
import { newId, randomBase62, type Sql } from '@inference/database';
import { MAIL_KINDS, type TokenMailKind } from './mail-kinds';

/** 256 bits: a token that nobody finds by trying. */
const TOKEN_DIGITS = 43;
const DIGITS = /^[0-9A-Za-z]{43}$/;

export interface NewMailToken {
  accountId: string;
  purpose: TokenMailKind;
  /** The address it is sent to. */
  email: string;
  /** The mail it is in; one of its own unless told. */
  mailId?: string;
}

const CREATE = `
  INSERT INTO accounts.mail_tokens (token_hash, account_id, purpose, email, mail_id, expires_at)
  VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`;
const WHOSE = `
  SELECT account_id AS "accountId" FROM accounts.mail_tokens
  WHERE token_hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > now()`;
/** Whoever changes the account's credentials meanwhile revokes the token first, or finds it used. */
const LOCK = 'SELECT FROM accounts.accounts WHERE id = $1 FOR NO KEY UPDATE';
const USE = `
  UPDATE accounts.mail_tokens SET used_at = now()
  WHERE token_hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > now()
  RETURNING account_id AS "accountId", email`;
const REVOKE = `
  UPDATE accounts.mail_tokens SET used_at = now()
  WHERE account_id = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > now()`;
const COUNT = `
  SELECT count(DISTINCT mail_id)::integer AS hour,
    count(DISTINCT mail_id) FILTER (WHERE created_at > now() - interval '1 minute')::integer AS minute
  FROM accounts.mail_tokens
  WHERE account_id = $1 AND purpose = $2 AND mail_id <> $3 AND created_at > now() - interval '1 hour'`;
const FORGET_OLD = `
  DELETE FROM accounts.mail_tokens WHERE token_hash IN (
    SELECT token_hash FROM accounts.mail_tokens
    WHERE expires_at < now() - interval '1 day' FOR UPDATE SKIP LOCKED)`;

const hashMailToken = (token: string) => createHash('sha256').update(token).digest();

/** The token's text, which is nowhere but in the mail. */
export async function createMailToken(sql: Sql, order: NewMailToken): Promise<string> {
  const { accountId, purpose, email, mailId = newId('mail') } = order;
  const { prefix, validSeconds } = MAIL_KINDS[purpose].token;
  const token = prefix + randomBase62(TOKEN_DIGITS);
  await sql.query(CREATE, [hashMailToken(token), accountId, purpose, email, mailId, validSeconds]);
  return token;
}

/**
 * Uses a token up, and with it the account's other tokens for the same purpose; null when it is malformed, unknown,
 * used or too old. However many use it at once, one of them gets it. Locks the account until the caller's transaction
 * ends.
 */
export async function useMailToken(
  sql: Sql,
  purpose: TokenMailKind,
  token: string,
): Promise<{ accountId: string; email: string } | null> {
  const { prefix } = MAIL_KINDS[purpose].token;
  if (!token.startsWith(prefix) || !DIGITS.test(token.slice(prefix.length))) return null;
  const asked = [hashMailToken(token), purpose];
  const whose = (await sql.query<{ accountId: string }>(WHOSE, asked)).rows[0];
  if (!whose) return null;
  await sql.query(LOCK, [whose.accountId]);
  const used = (await sql.query<{ accountId: string; email: string }>(USE, asked)).rows[0];
  if (!used) return null;
  await revokeMailTokens(sql, used.accountId, purpose);
  return used;
}

/** Makes worthless what an account was sent for a purpose until now; the caller's transaction has locked the account. */
export async function revokeMailTokens(sql: Sql, accountId: string, purpose: TokenMailKind): Promise<void> {
  await sql.query(REVOKE, [accountId, purpose]);
}

/** How many other mails with a token for this purpose the account was sent within the last minute and hour. */
export async function countTokenMails(
  sql: Sql,
  { accountId, purpose, mailId }: { accountId: string; purpose: TokenMailKind; mailId: string },
): Promise<{ minute: number; hour: number }> {
  const { rows } = await sql.query<{ minute: number; hour: number }>(COUNT, [accountId, purpose, mailId]);
  return rows[0]!;
}

export async function forgetOldMailTokens(sql: Sql): Promise<void> {
  await sql.query(FORGET_OLD);
}
