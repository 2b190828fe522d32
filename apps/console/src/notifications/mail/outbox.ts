import { type Executor, newId } from '@inference/database';
import { type Origin } from '../../accounts/audit-log/actor';
import { type MailRequest, type SecurityMailFacts, type SecurityMailKind } from './mail-kinds';
import { type ClaimedMail, deleteExpiredMail, insertMail, postponeMail } from './outbox.repository';

/** The task of each mail in the outbox (migration 0017). */
export const SEND_MAIL = 'send-mail';

/** The delay between attempts doubles from the first to the longest. Chosen: greylisting servers accept after minutes. */
const FIRST_DELAY_SECONDS = 15;
const LONGEST_DELAY_SECONDS = 3_600;

/**
 * Requests a mail as part of the caller's transaction. Takes the same time whether or not the account exists, so that it
 * does not reveal accounts.
 */
export async function queueMail(executor: Executor, request: MailRequest): Promise<void> {
  const { kind, params = {} } = request;
  const recipient =
    'identifier' in request
      ? { identifier: request.identifier, accountId: null }
      : { identifier: null, accountId: request.accountId };
  await insertMail(executor, { id: newId('mail'), kind, ...recipient, params });
}

/** Schedules the next attempt with exponential backoff, or deletes the mail if it is too old. Returns true if deleted. */
export async function rescheduleOrGiveUp(
  executor: Executor,
  mail: ClaimedMail,
  reason: string,
): Promise<boolean> {
  const delaySeconds = Math.min(FIRST_DELAY_SECONDS * 2 ** (mail.attempts - 1), LONGEST_DELAY_SECONDS);
  if (await postponeMail(executor, mail, reason, delaySeconds)) return false;
  return deleteExpiredMail(executor, mail);
}

/**
 * Requests a mail about a change of credentials, as part of the caller's transaction.
 *
 * @param origin null for an operator's command
 */
export function queueSecurityMail(
  executor: Executor,
  kind: SecurityMailKind,
  accountId: string,
  origin: Origin | null,
  facts: SecurityMailFacts = {},
): Promise<void> {
  const params = { ...facts, address: origin?.address ?? null, at: new Date().toISOString() };
  return queueMail(executor, { kind, accountId, params });
}
