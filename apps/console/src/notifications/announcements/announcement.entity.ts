import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../../accounts/account.entity';

export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export const AUDIENCES = ['all', 'accounts', 'model'] as const;

/** What staff tells customers for a time. */
@Entity('announcements', { schema: 'accounts' })
@Index('announcements_time', ['createdAt', 'id'])
@Check('announcements_severity_check', "severity IN ('info', 'warning', 'critical')")
@Check('announcements_audience_check', "audience IN ('all', 'accounts', 'model')")
@Check('announcements_model_check', "(audience = 'model') = (model IS NOT NULL)")
@Check('announcements_ends_check', 'ends_at > starts_at')
export class Announcement {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  severity!: (typeof SEVERITIES)[number];

  @Column('text')
  titleEn!: string;

  /** Plain text; addresses in it become links. */
  @Column('text')
  bodyEn!: string;

  @Column('text')
  titleZh!: string;

  @Column('text')
  bodyZh!: string;

  @Column('text')
  audience!: (typeof AUDIENCES)[number];

  /** Its users are addressed. */
  @Column('text', { nullable: true })
  model!: string | null;

  @TimeColumn()
  startsAt!: Date;

  /** Null: until staff ends it. */
  @TimeColumn({ nullable: true })
  endsAt!: Date | null;

  @ForeignKey(() => Account)
  @Column('text')
  createdBy!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}

/** An account that an announcement addresses, unless it addresses all; or one that has dismissed it. */
@Entity('announcement_accounts', { schema: 'accounts' })
@Index('announcement_accounts_account', ['accountId'])
export class AnnouncementAccount {
  @ForeignKey(() => Announcement)
  @PrimaryColumn('text')
  announcementId!: string;

  @ForeignKey(() => Account)
  @PrimaryColumn('text')
  accountId!: string;

  @TimeColumn({ nullable: true })
  dismissedAt!: Date | null;
}

/** An announcement that goes out by mail, once. */
@Entity('announcement_mailings', { schema: 'accounts' })
@Index('announcement_mailings_unfinished', ['startedAt'], {
  where: 'finished_at IS NULL AND cancelled_at IS NULL',
})
export class AnnouncementMailing {
  @ForeignKey(() => Announcement)
  @PrimaryColumn('text')
  announcementId!: string;

  /** Only accounts that have used it in the last 30 days. */
  @Column('text', { nullable: true })
  usedModel!: string | null;

  /** Only accounts with usage in so many days. */
  @Column('integer', { nullable: true })
  activeWithinDays!: number | null;

  /** Only accounts of this tier of limits. */
  @Column('text', { nullable: true })
  tier!: string | null;

  @Column('integer')
  recipients!: number;

  /** Of the recipients, those whose mail was put into the outbox, and not skipped. */
  @Column('integer', { default: 0 })
  queued!: number;

  /** Of the recipients, those that were not to get it any more when it was their turn. */
  @Column('integer', { default: 0 })
  skipped!: number;

  @ForeignKey(() => Account)
  @Column('text')
  startedBy!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  startedAt!: Date;

  /** When the last mail was put into the outbox. */
  @TimeColumn({ nullable: true })
  finishedAt!: Date | null;

  @TimeColumn({ nullable: true })
  cancelledAt!: Date | null;
}

/** An account that gets an announcement by mail. */
@Entity('announcement_recipients', { schema: 'accounts' })
@Index('announcement_recipients_account', ['accountId'])
@Index('announcement_recipients_waiting', ['announcementId'], { where: 'queued_at IS NULL' })
export class AnnouncementRecipient {
  @ForeignKey(() => AnnouncementMailing)
  @PrimaryColumn('text')
  announcementId!: string;

  @ForeignKey(() => Account)
  @PrimaryColumn('text')
  accountId!: string;

  @TimeColumn({ nullable: true })
  queuedAt!: Date | null;
}
