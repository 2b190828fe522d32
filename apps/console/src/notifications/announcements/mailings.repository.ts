import { type Executor, randomBase62, type Transaction } from '@inference/database';
import { type LimitTier } from '@inference/rate-limits';
import { In, IsNull } from 'typeorm';
import { MailPreference } from '../mail/mail.entity';
import { type Announcement, AnnouncementMailing } from './announcement.entity';

/** Which of the accounts that an announcement addresses get it by mail; null: that does not matter. */
export interface Selection {
  usedModel: string | null;
  activeWithinDays: number | null;
  /** One of all tiers, by its position. */
  tier: { position: number; all: readonly LimitTier[] } | null;
}

/** Confirmed, not suspended, and not unsubscribed. An account has the last tier whose conditions it meets, and the first one otherwise. */
const RECIPIENTS = `
  SELECT a.id FROM accounts.accounts a
  WHERE a.email_verified_at IS NOT NULL AND a.suspended_at IS NULL
    AND NOT EXISTS (SELECT FROM accounts.mail_preferences p WHERE p.account_id = a.id AND p.announcements_off_at IS NOT NULL)
    AND ($2::boolean OR EXISTS (SELECT FROM accounts.announcement_accounts of WHERE of.announcement_id = $1 AND of.account_id = a.id))
    AND ($3::text IS NULL
      OR EXISTS (SELECT FROM metering.daily_rollup d WHERE d.account_id = a.id AND d.model = $3 AND d.day > now() - interval '30 days')
      OR EXISTS (SELECT FROM metering.hourly_usage h WHERE h.account_id = a.id AND h.model = $3 AND h.hour > now() - interval '2 days'))
    AND ($4::integer IS NULL
      OR EXISTS (SELECT FROM metering.daily_rollup d WHERE d.account_id = a.id AND d.day > now() - make_interval(days => $4))
      OR EXISTS (SELECT FROM metering.hourly_usage h WHERE h.account_id = a.id AND h.hour > now() - least(make_interval(days => $4), interval '2 days')))
    AND ($5::json IS NULL OR (
      SELECT coalesce(max(t.ordinality) FILTER (WHERE s.paid_picos >= (t.tier->>'paidPicos')::numeric
        AND s.age_seconds >= (t.tier->>'ageSeconds')::numeric), 1)
      FROM limits.standing_of(a.id) s, json_array_elements($5::json) WITH ORDINALITY AS t (tier, ordinality)) = $6)`;

const COUNT = `SELECT count(*)::integer AS count FROM (${RECIPIENTS}) recipients`;
const ADD = `
  INSERT INTO accounts.announcement_recipients (announcement_id, account_id)
  SELECT $1, recipients.id FROM (${RECIPIENTS}) recipients`;

const PICOS_PER_UNIT = 1e12;
const SECONDS_PER_DAY = 86_400;

function parametersOf({ id, audience }: Announcement, { usedModel, activeWithinDays, tier }: Selection) {
  const conditions = tier?.all.map(({ paid, ageDays }) => ({
    paidPicos: BigInt(Math.round(paid * PICOS_PER_UNIT)).toString(),
    ageSeconds: ageDays * SECONDS_PER_DAY,
  }));
  const tiers = conditions ? JSON.stringify(conditions) : null;
  return [id, audience === 'all', usedModel, activeWithinDays, tiers, tier && tier.position + 1];
}

/** How many accounts would get it. */
export async function countRecipients(
  executor: Executor,
  announcement: Announcement,
  selection: Selection,
): Promise<number> {
  const { rows } = await executor.query<{ count: number }>(COUNT, parametersOf(announcement, selection));
  return rows[0]!.count;
}

/** Stores who gets it, and returns how many accounts that are. */
export async function addMailing(
  transaction: Transaction,
  announcement: Announcement,
  selection: Selection,
  startedBy: string,
): Promise<number> {
  const { usedModel, activeWithinDays, tier } = selection;
  await transaction.repository(AnnouncementMailing).insert({
    announcementId: announcement.id,
    ...{ usedModel, activeWithinDays, startedBy },
    tier: tier && tier.all[tier.position]!.name,
    recipients: 0,
  });
  const recipients = (await transaction.query(ADD, parametersOf(announcement, selection))).rowCount!;
  await transaction
    .repository(AnnouncementMailing)
    .update({ announcementId: announcement.id }, { recipients });
  return recipients;
}

export const findMailings = (executor: Executor, announcementIds: string[]): Promise<AnnouncementMailing[]> =>
  executor.repository(AnnouncementMailing).findBy({ announcementId: In(announcementIds) });

/** Null if there is none. */
export const lockMailing = (
  transaction: Transaction,
  announcementId: string,
): Promise<AnnouncementMailing | null> =>
  transaction
    .repository(AnnouncementMailing)
    .createQueryBuilder('mailing')
    .setLock('pessimistic_write')
    .where({ announcementId })
    .getOne();

/** Locks the oldest one that goes on, unless another process works on it. */
export const lockUnfinishedMailing = (transaction: Transaction): Promise<AnnouncementMailing | null> =>
  transaction
    .repository(AnnouncementMailing)
    .createQueryBuilder('mailing')
    .setLock('pessimistic_write')
    .setOnLocked('skip_locked')
    .where({ finishedAt: IsNull(), cancelledAt: IsNull() })
    .orderBy('mailing.startedAt')
    .limit(1)
    .getOne();

const TAKE = `
  UPDATE accounts.announcement_recipients SET queued_at = clock_timestamp()
  WHERE announcement_id = $1 AND account_id IN (
    SELECT account_id FROM accounts.announcement_recipients
    WHERE announcement_id = $1 AND queued_at IS NULL ORDER BY account_id LIMIT $2)
  RETURNING account_id AS "accountId"`;

/** Marks some of the recipients whose turn has not come, and returns them. */
export const takeRecipients = async (
  transaction: Transaction,
  announcementId: string,
  count: number,
): Promise<string[]> => {
  const { rows } = await transaction.query<{ accountId: string }>(TAKE, [announcementId, count]);
  return rows.map(({ accountId }) => accountId);
};

/** @param change of the number of mails that were put into the outbox */
export async function updateMailing(
  transaction: Transaction,
  announcementId: string,
  change: { queued?: number; end?: 'finishedAt' | 'cancelledAt' },
): Promise<void> {
  const { queued = 0, end } = change;
  await transaction
    .repository(AnnouncementMailing)
    .createQueryBuilder()
    .update({ queued: () => 'queued + :queued', ...(end && { [end]: () => 'clock_timestamp()' }) })
    .where({ announcementId })
    .setParameters({ queued })
    .execute();
}

const FORGET = `
  DELETE FROM accounts.announcement_recipients r USING accounts.announcement_mailings m
  WHERE m.announcement_id = r.announcement_id AND coalesce(m.finished_at, m.cancelled_at) < now() - make_interval(days => $1)`;

/** Deletes who got the mails that went out before. Their numbers stay. */
export async function deleteOldRecipients(executor: Executor, days: number): Promise<void> {
  await executor.query(FORGET, [days]);
}

/** 131 bits: cannot be guessed. */
const CODE_DIGITS = 22;
const newCode = () => randomBase62(CODE_DIGITS);

/** The codes of the accounts, made for those that have none. */
export async function findUnsubscribeCodes(
  transaction: Transaction,
  accountIds: string[],
): Promise<MailPreference[]> {
  const rows = accountIds.map((accountId) => ({ accountId, unsubscribeCode: newCode() }));
  const preferences = transaction.repository(MailPreference);
  await preferences.createQueryBuilder().insert().values(rows).orIgnore().execute();
  return await preferences.findBy({ accountId: In(accountIds) });
}

/** Stops or resumes announcements to the account of the code. Returns false if there is no such code. */
export async function setAnnouncements(
  executor: Executor,
  unsubscribeCode: string,
  isWanted: boolean,
): Promise<boolean> {
  const { affected } = await executor
    .repository(MailPreference)
    .createQueryBuilder()
    .update({
      announcementsOffAt: isWanted ? null : () => 'coalesce(announcements_off_at, clock_timestamp())',
    })
    .where({ unsubscribeCode })
    .execute();
  return affected === 1;
}

const SET_OWN = `
  INSERT INTO accounts.mail_preferences (account_id, unsubscribe_code, announcements_off_at)
  VALUES ($1, $2, CASE WHEN $3::boolean THEN NULL ELSE clock_timestamp() END)
  ON CONFLICT (account_id) DO UPDATE SET announcements_off_at =
    CASE WHEN $3::boolean THEN NULL ELSE coalesce(mail_preferences.announcements_off_at, clock_timestamp()) END`;

/** As `setAnnouncements`, for the account itself, which may never have been sent one. */
export async function setOwnAnnouncements(
  executor: Executor,
  accountId: string,
  isWanted: boolean,
): Promise<void> {
  await executor.query(SET_OWN, [accountId, newCode(), isWanted]);
}
