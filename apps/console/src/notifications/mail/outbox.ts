import { newId, type Sql } from '@inference/database';
import { type MailRequest } from './mail-kinds';

/** The task of each mail in the outbox (migration 0017). */
export const SEND_MAIL = 'send-mail';

/** A mail that one sender may send until its claim ends. */
export interface ClaimedMail {
  id: string;
  kind: string;
  identifier: string | null;
  accountId: string | null;
  /** Depends on the kind: see MailRequest. */
  params: unknown;
  createdAt: Date;
  /** Number of attempts, including this one. */
  attempts: number;
}

/** The delay between attempts doubles from the first to the longest. Chosen: greylisting servers accept after minutes. */
const FIRST_DELAY_SECONDS = 15;
const LONGEST_DELAY_SECONDS = 3_600;
/** A mail that could not be sent within this time is deleted. */
const GIVE_UP_AFTER = "interval '1 day'";

const QUEUE = `
  INSERT INTO accounts.mail_outbox (id, kind, identifier, account_id, params) VALUES ($1, $2, $3, $4, $5)`;
const CLAIM = `
  UPDATE accounts.mail_outbox SET attempts = attempts + 1, claimed_until = now() + make_interval(secs => $2)
  WHERE id = $1 AND due_at <= now()
  RETURNING id, kind, identifier, account_id AS "accountId", params, created_at AS "createdAt", attempts`;
const DELETE = 'DELETE FROM accounts.mail_outbox WHERE id = $1';
/** POSTPONE and GIVE_UP match the number of attempts: they change nothing once another sender has claimed the mail. */
const POSTPONE = `
  UPDATE accounts.mail_outbox
  SET next_attempt_at = now() + make_interval(secs => $3), claimed_until = NULL, last_error = $4
  WHERE id = $1 AND attempts = $2 AND created_at > now() - ${GIVE_UP_AFTER}`;
const GIVE_UP = `
  DELETE FROM accounts.mail_outbox WHERE id = $1 AND attempts = $2 AND created_at <= now() - ${GIVE_UP_AFTER}`;
const DELETE_OLD = `
  DELETE FROM accounts.mail_outbox WHERE id IN (
    SELECT id FROM accounts.mail_outbox WHERE created_at < now() - ${GIVE_UP_AFTER} FOR UPDATE SKIP LOCKED)`;

/**
 * Requests a mail as part of the caller's transaction. Takes the same time whether or not the account exists, so that it
 * does not reveal accounts.
 */
export async function queueMail(sql: Sql, request: MailRequest): Promise<void> {
  const [identifier, accountId] =
    'identifier' in request ? [request.identifier, null] : [null, request.accountId];
  await sql.query(QUEUE, [
    newId('mail'),
    request.kind,
    identifier,
    accountId,
    JSON.stringify(request.params ?? {}),
  ]);
}

/** Claims the mail for `claimSeconds`, unless it is not due or another sender has claimed it. */
export async function claimMail(
  sql: Sql,
  id: string,
  claimSeconds: number,
): Promise<ClaimedMail | undefined> {
  return (await sql.query<ClaimedMail>(CLAIM, [id, claimSeconds])).rows[0];
}

export async function deleteMail(sql: Sql, id: string): Promise<void> {
  await sql.query(DELETE, [id]);
}

/** Schedules the next attempt with exponential backoff, or deletes the mail if it is too old. Returns true if deleted. */
export async function rescheduleOrGiveUp(sql: Sql, mail: ClaimedMail, reason: string): Promise<boolean> {
  const { id, attempts } = mail;
  const delaySeconds = Math.min(FIRST_DELAY_SECONDS * 2 ** (attempts - 1), LONGEST_DELAY_SECONDS);
  const postponed = await sql.query(POSTPONE, [id, attempts, delaySeconds, reason]);
  return postponed.rowCount === 0 && (await sql.query(GIVE_UP, [id, attempts])).rowCount === 1;
}

/** For deployments that send no mail: keeps the outbox from growing. */
export async function deleteOldMails(sql: Sql): Promise<void> {
  await sql.query(DELETE_OLD);
}
