import { type Executor } from '@inference/database';
import { IsNull, Not, Raw } from 'typeorm';
import { type MailKind } from './mail-kinds';
import { OutboxMail, MailPreference } from './mail.entity';

/** A mail that could not be sent within this time is deleted. */
const GIVE_UP_AFTER = "interval '1 day'";

/** A mail that one sender may send until its claim ends. `attempts` includes this one. */
export type ClaimedMail = Pick<
  OutboxMail,
  'id' | 'kind' | 'identifier' | 'accountId' | 'params' | 'createdAt' | 'attempts'
>;

export async function insertMail(
  executor: Executor,
  mail: Pick<OutboxMail, 'id' | 'kind' | 'identifier' | 'accountId' | 'params'>,
): Promise<void> {
  await executor.repository(OutboxMail).insert(mail);
}

const CLAIM = `
  UPDATE accounts.mail_outbox SET attempts = attempts + 1, claimed_until = now() + make_interval(secs => $2)
  WHERE id = $1 AND due_at <= now()
  RETURNING id, kind, identifier, account_id AS "accountId", params, created_at AS "createdAt", attempts`;

/** Claims the mail for `claimSeconds`, unless it is not due or another sender has claimed it. */
export async function claimMail(
  executor: Executor,
  id: string,
  claimSeconds: number,
): Promise<ClaimedMail | undefined> {
  return (await executor.query<ClaimedMail>(CLAIM, [id, claimSeconds])).rows[0];
}

export async function deleteMail(executor: Executor, id: string): Promise<void> {
  await executor.repository(OutboxMail).delete({ id });
}

/** Matches the number of attempts: nothing is found once another sender has claimed the mail. */
const claimed = ({ id, attempts }: ClaimedMail) => ({ id, attempts });

/** Ends the claim and schedules the next attempt. Returns false if the mail is too old for another one. */
export async function postponeMail(
  executor: Executor,
  mail: ClaimedMail,
  reason: string,
  delaySeconds: number,
): Promise<boolean> {
  const { affected } = await executor
    .repository(OutboxMail)
    .createQueryBuilder()
    .update({
      nextAttemptAt: () => 'now() + make_interval(secs => :delaySeconds)',
      claimedUntil: null,
      lastError: reason,
    })
    .where({ ...claimed(mail), createdAt: Raw((column) => `${column} > now() - ${GIVE_UP_AFTER}`) })
    .setParameters({ delaySeconds })
    .execute();
  return affected !== 0;
}

/** Deletes the mail if it is too old for another attempt. Returns false if it is not. */
export async function deleteExpiredMail(executor: Executor, mail: ClaimedMail): Promise<boolean> {
  const { affected } = await executor
    .repository(OutboxMail)
    .delete({ ...claimed(mail), createdAt: Raw((column) => `${column} <= now() - ${GIVE_UP_AFTER}`) });
  return affected === 1;
}

const DELETE_EXPIRED = `
  DELETE FROM accounts.mail_outbox WHERE id IN (
    SELECT id FROM accounts.mail_outbox WHERE created_at < now() - ${GIVE_UP_AFTER} FOR UPDATE SKIP LOCKED)`;

/** For deployments that send no mail: keeps the outbox from growing. */
export async function deleteExpiredMails(executor: Executor): Promise<void> {
  await executor.query(DELETE_EXPIRED);
}

/** Mails of a kind that no mail server has taken. */
export async function countWaitingMails(executor: Executor, kind: MailKind): Promise<number> {
  return await executor.repository(OutboxMail).countBy({ kind });
}

const SKIP = `
  WITH skipped AS (
    DELETE FROM accounts.mail_outbox WHERE id = $1 RETURNING params->>'announcementId' AS announcement_id
  )
  UPDATE accounts.announcement_mailings m SET queued = m.queued - 1, skipped = m.skipped + 1
  FROM skipped s WHERE m.announcement_id = s.announcement_id`;

/** Deletes an announcement to an account that does not get it, and counts that. */
export async function skipAnnouncement(executor: Executor, id: string): Promise<void> {
  await executor.query(SKIP, [id]);
}

/** Deletes the mails of an announcement that nobody is sending just now. Returns their number. */
export async function deleteWaitingMails(executor: Executor, announcementId: string): Promise<number> {
  const { affected } = await executor
    .repository(OutboxMail)
    .createQueryBuilder()
    .delete()
    .where({ kind: 'announcement' })
    .andWhere('(claimed_until IS NULL OR claimed_until <= now())')
    .andWhere("params->>'announcementId' = :announcementId", { announcementId })
    .execute();
  return affected ?? 0;
}

/** Whether an account wants announcements by mail: it does until it stops them. */
export const wantsAnnouncements = async (executor: Executor, accountId: string): Promise<boolean> =>
  !(await executor.repository(MailPreference).existsBy({ accountId, announcementsOffAt: Not(IsNull()) }));
