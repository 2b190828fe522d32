import { createHash } from 'node:crypto';
import { newId, randomBase62, type Sql } from '@inference/database';
import { MAIL_KINDS, type TokenMailKind } from './mail-kinds';

/** 43 base62 digits hold 256 bits, which cannot be guessed. */
const TOKEN_DIGITS = 43;
const DIGITS = /^[0-9A-Za-z]{43}$/;

export interface NewMailToken {
  accountId: string;
  purpose: TokenMailKind;
  /** The address to which it is sent. */
  email: string;
  /** The mail that carries it; a new id by default. */
  mailId?: string;
}

const CREATE = `
  INSERT INTO accounts.mail_tokens (token_hash, account_id, purpose, email, mail_id, expires_at)
  VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`;
const FIND_OWNER = `
  SELECT account_id AS "accountId" FROM accounts.mail_tokens
  WHERE token_hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > now()`;
/** Serialises with changes of the account's credentials, which revoke its tokens. */
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
const DELETE_OLD = `
  DELETE FROM accounts.mail_tokens WHERE token_hash IN (
    SELECT token_hash FROM accounts.mail_tokens
    WHERE expires_at < now() - interval '1 day' FOR UPDATE SKIP LOCKED)`;

const hashMailToken = (token: string) => createHash('sha256').update(token).digest();

/** Creates a token and returns its text. Only its hash is stored. */
export async function createMailToken(sql: Sql, newToken: NewMailToken): Promise<string> {
  const { accountId, purpose, email, mailId = newId('mail') } = newToken;
  const { prefix, validSeconds } = MAIL_KINDS[purpose].token;
  const token = prefix + randomBase62(TOKEN_DIGITS);
  await sql.query(CREATE, [hashMailToken(token), accountId, purpose, email, mailId, validSeconds]);
  return token;
}

/**
 * Consumes a token and revokes the account's other tokens for the same purpose. Returns null if the token is malformed,
 * unknown, used or expired. Of concurrent calls with one token exactly one succeeds. Locks the account until the caller's
 * transaction ends.
 */
export async function consumeMailToken(
  sql: Sql,
  purpose: TokenMailKind,
  token: string,
): Promise<{ accountId: string; email: string } | null> {
  const { prefix } = MAIL_KINDS[purpose].token;
  if (!token.startsWith(prefix) || !DIGITS.test(token.slice(prefix.length))) return null;
  const parameters = [hashMailToken(token), purpose];
  const owner = (await sql.query<{ accountId: string }>(FIND_OWNER, parameters)).rows[0];
  if (!owner) return null;
  await sql.query(LOCK, [owner.accountId]);
  const used = (await sql.query<{ accountId: string; email: string }>(USE, parameters)).rows[0];
  if (!used) return null;
  await revokeMailTokens(sql, used.accountId, purpose);
  return used;
}

/** Revokes the account's unused tokens for a purpose. The caller's transaction must have locked the account. */
export async function revokeMailTokens(sql: Sql, accountId: string, purpose: TokenMailKind): Promise<void> {
  await sql.query(REVOKE, [accountId, purpose]);
}

/** Counts the other mails with a token for this purpose that the account was sent in the last minute and hour. */
export async function countTokenMails(
  sql: Sql,
  { accountId, purpose, mailId }: { accountId: string; purpose: TokenMailKind; mailId: string },
): Promise<{ minute: number; hour: number }> {
  const { rows } = await sql.query<{ minute: number; hour: number }>(COUNT, [accountId, purpose, mailId]);
  return rows[0]!;
}

/** Deletes tokens that expired more than a day ago. */
export async function deleteOldMailTokens(sql: Sql): Promise<void> {
  await sql.query(DELETE_OLD);
}
