import { type Executor, type Transaction } from '@inference/database';
import { IsNull, Raw } from 'typeorm';
import { type TokenMailKind } from './mail-kinds';
import { MailToken } from './mail.entity';

export async function insertMailToken(
  executor: Executor,
  token: Pick<MailToken, 'tokenHash' | 'accountId' | 'purpose' | 'email' | 'mailId'>,
  validSeconds: number,
): Promise<void> {
  const expiresAt = () => `now() + make_interval(secs => ${validSeconds})`;
  await executor.repository(MailToken).insert({ ...token, expiresAt });
}

type MailTokenKey = Pick<MailToken, 'tokenHash' | 'purpose'>;

const valid = { usedAt: IsNull(), expiresAt: Raw((column) => `${column} > now()`) };

/** The account of a valid token; null if the token is unknown, used or expired. */
export async function findMailTokenAccount(executor: Executor, key: MailTokenKey): Promise<string | null> {
  const token = await executor
    .repository(MailToken)
    .findOne({ select: { accountId: true }, where: { ...key, ...valid } });
  return token?.accountId ?? null;
}

/** Marks a valid token as used. Returns undefined if it is not valid, or not any more. */
export async function useMailToken(
  transaction: Transaction,
  key: MailTokenKey,
): Promise<Pick<MailToken, 'accountId' | 'email'> | undefined> {
  const { raw } = await transaction
    .repository(MailToken)
    .createQueryBuilder()
    .update({ usedAt: () => 'now()' })
    .where({ ...key, ...valid })
    .returning('account_id AS "accountId", email')
    .execute();
  return (raw as Pick<MailToken, 'accountId' | 'email'>[])[0];
}

/** Revokes the account's unused tokens for a purpose. The transaction must have locked the account. */
export async function revokeMailTokens(
  transaction: Transaction,
  accountId: string,
  purpose: TokenMailKind,
): Promise<void> {
  await transaction.repository(MailToken).update({ accountId, purpose, ...valid }, { usedAt: () => 'now()' });
}

/** Whether a mail has had a token: it was attempted before. */
export function hasMailToken(executor: Executor, accountId: string, mailId: string): Promise<boolean> {
  return executor.repository(MailToken).existsBy({ accountId, mailId });
}

const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('mail ' || $1, 0))";

/** One transaction at a time may create tokens for mails to the account. */
export async function lockTokenMails(transaction: Transaction, accountId: string): Promise<void> {
  await transaction.query(LOCK, [accountId]);
}

const COUNT = `
  SELECT count(DISTINCT mail_id)::integer AS hour,
    count(DISTINCT mail_id) FILTER (WHERE created_at > now() - interval '1 minute')::integer AS minute
  FROM accounts.mail_tokens
  WHERE account_id = $1 AND purpose = $2 AND mail_id <> $3 AND created_at > now() - interval '1 hour'`;

/** Counts the other mails with a token for this purpose that the account was sent in the last minute and hour. */
export async function countTokenMails(
  executor: Executor,
  { accountId, purpose, mailId }: Pick<MailToken, 'accountId' | 'purpose' | 'mailId'>,
): Promise<{ minute: number; hour: number }> {
  const { rows } = await executor.query<{ minute: number; hour: number }>(COUNT, [
    accountId,
    purpose,
    mailId,
  ]);
  return rows[0]!;
}

const DELETE_OLD = `
  DELETE FROM accounts.mail_tokens WHERE token_hash IN (
    SELECT token_hash FROM accounts.mail_tokens
    WHERE expires_at < now() - interval '1 day' FOR UPDATE SKIP LOCKED)`;

/** Deletes tokens that expired more than a day ago. */
export async function deleteOldMailTokens(executor: Executor): Promise<void> {
  await executor.query(DELETE_OLD);
}
