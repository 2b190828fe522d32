import { type Executor, type Position, readNewestFirst, type Transaction } from '@inference/database';
import { Announcement, AnnouncementAccount } from './announcement.entity';

/** Chosen: nobody reads more of them at once. */
const MOST_SHOWN = 20;

/** Chosen: more than one on each day of a bad quarter. */
const MOST_INCIDENTS = 100;

const IS_CURRENT = 'a.starts_at <= now() AND (a.ends_at IS NULL OR a.ends_at > now())';
const IS_ADDRESSED = "(a.audience = 'all' OR of.account_id IS NOT NULL)";
/** What was dismissed may have become critical. */
const IS_OPEN = "(of.dismissed_at IS NULL OR a.severity = 'critical')";

const COUNT = `
  SELECT a.id, count(of.account_id)::int AS addressed, count(of.dismissed_at)::int AS dismissed
  FROM accounts.announcements a LEFT JOIN accounts.announcement_accounts of ON of.announcement_id = a.id
  WHERE a.id = ANY($1) GROUP BY a.id`;

const ADDRESS_ACCOUNTS = `
  INSERT INTO accounts.announcement_accounts (announcement_id, account_id)
  SELECT $1, id FROM accounts.accounts WHERE id = ANY($2)`;

const ADDRESS_USERS = `
  INSERT INTO accounts.announcement_accounts (announcement_id, account_id)
  SELECT $1, account_id FROM metering.daily_rollup WHERE model = $2 AND day > now() - interval '30 days'
  UNION SELECT $1, account_id FROM metering.hourly_usage WHERE model = $2 AND hour > now() - interval '2 days'`;

const DISMISS = `
  INSERT INTO accounts.announcement_accounts AS of (announcement_id, account_id, dismissed_at)
  VALUES ($1, $2, clock_timestamp())
  ON CONFLICT (announcement_id, account_id) DO UPDATE SET dismissed_at = coalesce(of.dismissed_at, excluded.dismissed_at)`;

type Content = Omit<Announcement, 'id' | 'audience' | 'model' | 'createdBy' | 'createdAt'>;

export interface AnnouncementCounts {
  addressed: number;
  dismissed: number;
}

const current = (executor: Executor) =>
  executor
    .repository(Announcement)
    .createQueryBuilder('a')
    .where(IS_CURRENT)
    .orderBy('a.startsAt', 'DESC')
    .addOrderBy('a.id', 'DESC')
    .limit(MOST_SHOWN);

/** The row of the account for each announcement, as `of`. */
const currentOf = (executor: Executor, accountId: string) =>
  current(executor)
    .leftJoin(AnnouncementAccount, 'of', 'of.announcement_id = a.id AND of.account_id = :accountId', {
      accountId,
    })
    .andWhere(IS_ADDRESSED);

/** What everybody sees now. */
export const listPublicAnnouncements = (executor: Executor): Promise<Announcement[]> =>
  current(executor).andWhere("a.audience = 'all'").getMany();

/**
 * What was announced to everybody as more than news, and was shown within the last days, newest first. One that was ended before its
 * start was never shown: `endAnnouncement` leaves it a microsecond.
 */
export const listIncidents = (executor: Executor, days: number): Promise<Announcement[]> =>
  executor
    .repository(Announcement)
    .createQueryBuilder('a')
    .where("a.audience = 'all' AND a.severity IN ('warning', 'critical') AND a.starts_at <= now()")
    .andWhere('(a.ends_at IS NULL OR a.ends_at > now() - make_interval(days => :days))', { days })
    .andWhere("(a.ends_at IS NULL OR a.ends_at - a.starts_at > interval '1 millisecond')")
    .orderBy('a.startsAt', 'DESC')
    .addOrderBy('a.id', 'DESC')
    .limit(MOST_INCIDENTS)
    .getMany();

/** What the account sees now. */
export const listAnnouncementsOf = (executor: Executor, accountId: string): Promise<Announcement[]> =>
  currentOf(executor, accountId).andWhere(IS_OPEN).getMany();

/** One that the account sees, or has dismissed. */
export const findAnnouncementOf = (
  executor: Executor,
  id: string,
  accountId: string,
): Promise<Announcement | null> => currentOf(executor, accountId).andWhere({ id }).getOne();

/** Newest first. */
export const listAnnouncements = (
  executor: Executor,
  after: Position | null,
  count: number,
): Promise<(Announcement & { position: Position })[]> =>
  readNewestFirst(
    executor.repository(Announcement).createQueryBuilder('announcement'),
    'createdAt',
    after,
    count,
  );

/** By the id of the announcement. */
export async function countAccounts(
  executor: Executor,
  ids: string[],
): Promise<Map<string, AnnouncementCounts>> {
  const { rows } = await executor.query<AnnouncementCounts & { id: string }>(COUNT, [ids]);
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

export const findAnnouncement = (executor: Executor, id: string): Promise<Announcement | null> =>
  executor.repository(Announcement).findOneBy({ id });

export async function insertAnnouncement(
  transaction: Transaction,
  announcement: Omit<Announcement, 'createdAt'>,
): Promise<void> {
  await transaction.repository(Announcement).insert(announcement);
}

/** Returns how many of the accounts there are. */
export const addressAccounts = async (
  transaction: Transaction,
  id: string,
  accountIds: string[],
): Promise<number> => (await transaction.query(ADDRESS_ACCOUNTS, [id, accountIds])).rowCount!;

/** Addresses the accounts that have used the model in the last 30 days. Returns their number. */
export const addressUsers = async (transaction: Transaction, id: string, model: string): Promise<number> =>
  (await transaction.query(ADDRESS_USERS, [id, model])).rowCount!;

/** Locks the announcement. Null if there is none. */
export const lockAnnouncement = (transaction: Transaction, id: string): Promise<Announcement | null> =>
  transaction
    .repository(Announcement)
    .createQueryBuilder('announcement')
    .setLock('pessimistic_write')
    .where({ id })
    .getOne();

export async function updateAnnouncement(
  transaction: Transaction,
  id: string,
  content: Content,
): Promise<void> {
  await transaction.repository(Announcement).update({ id }, content);
}

/** One that has not begun is never shown. */
export async function endAnnouncement(transaction: Transaction, id: string): Promise<void> {
  await transaction
    .repository(Announcement)
    .createQueryBuilder()
    .update({
      startsAt: () => "least(starts_at, now() - interval '1 microsecond')",
      endsAt: () => 'now()',
    })
    .where({ id })
    .execute();
}

export async function dismissAnnouncement(executor: Executor, id: string, accountId: string): Promise<void> {
  await executor.query(DISMISS, [id, accountId]);
}
