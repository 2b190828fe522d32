import { newId, type Sql } from '@inference/database';
import { type MailOrder } from './mail-kinds';

/** A mail that one sender has to itself until its lease ends. */
export interface ClaimedMail {
  id: string;
  kind: string;
  identifier: string | null;
  accountId: string | null;
  /** By the kind: see MailOrder. */
  params: unknown;
  createdAt: Date;
  /** This one included. */
  attempts: number;
}

const FIRST_DELAY_SECONDS = 15;
const LONGEST_DELAY_SECONDS = 3_600;
/** A mail that could not be sent for so long is not sent any more. */
const GIVE_UP_AFTER = "interval '1 day'";

const QUEUE = `
  INSERT INTO accounts.mail_outbox (id, kind, identifier, account_id, params) VALUES ($1, $2, $3, $4, $5)`;
const CLAIM = `
  WITH due AS MATERIALIZED (
    SELECT id FROM accounts.mail_outbox
    WHERE next_attempt_at <= now() AND (claimed_until IS NULL OR claimed_until <= now())
    ORDER BY next_attempt_at LIMIT $1 FOR UPDATE SKIP LOCKED)
  UPDATE accounts.mail_outbox o
  SET attempts = o.attempts + 1, claimed_until = now() + make_interval(secs => $2)
  FROM due WHERE o.id = due.id
  RETURNING o.id, o.kind, o.identifier, o.account_id AS "accountId", o.params, o.created_at AS "createdAt", o.attempts`;
const DELETE = 'DELETE FROM accounts.mail_outbox WHERE id = $1';
/** Both only by the sender whose claim it still is: nobody else has tried since. */
const POSTPONE = `
  UPDATE accounts.mail_outbox
  SET next_attempt_at = now() + make_interval(secs => $3), claimed_until = NULL, last_error = $4
  WHERE id = $1 AND attempts = $2 AND created_at > now() - ${GIVE_UP_AFTER}`;
const GIVE_UP = `
  DELETE FROM accounts.mail_outbox WHERE id = $1 AND attempts = $2 AND created_at <= now() - ${GIVE_UP_AFTER}`;
const DELETE_OLD = `
  DELETE FROM accounts.mail_outbox WHERE id IN (
    SELECT id FROM accounts.mail_outbox WHERE created_at < now() - ${GIVE_UP_AFTER} FOR UPDATE SKIP LOCKED)`;

/** Orders a mail as part of the caller's transaction. It costs the same whether or not the account exists. */
export async function queueMail(sql: Sql, order: MailOrder): Promise<void> {
  const [identifier, accountId] = 'identifier' in order ? [order.identifier, null] : [null, order.accountId];
  await sql.query(QUEUE, [
    newId('mail'),
    order.kind,
    identifier,
    accountId,
    JSON.stringify(order.params ?? {}),
  ]);
}

/** Up to `count` mails that are due and that nobody else has, for `leaseSeconds`. */
export async function claimMails(sql: Sql, count: number, leaseSeconds: number): Promise<ClaimedMail[]> {
  return (await sql.query<ClaimedMail>(CLAIM, [count, leaseSeconds])).rows;
}

export async function deleteMail(sql: Sql, id: string): Promise<void> {
  await sql.query(DELETE, [id]);
}

/** Leaves a mail for a later attempt, the later the more there were; true when it has had its last one. */
export async function postponeOrGiveUp(sql: Sql, mail: ClaimedMail, reason: string): Promise<boolean> {
  const { id, attempts } = mail;
  const delaySeconds = Math.min(FIRST_DELAY_SECONDS * 2 ** (attempts - 1), LONGEST_DELAY_SECONDS);
  const postponed = await sql.query(POSTPONE, [id, attempts, delaySeconds, reason]);
  return postponed.rowCount === 0 && (await sql.query(GIVE_UP, [id, attempts])).rowCount === 1;
}

/** Where nothing is sent, nothing may pile up. */
export async function deleteOldMails(sql: Sql): Promise<void> {
  await sql.query(DELETE_OLD);
}
