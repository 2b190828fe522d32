import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../../accounts/account.entity';

/** Which mails an account that was ever sent an announcement wants. */
@Entity('mail_preferences', { schema: 'accounts' })
@Index('mail_preferences_code', ['unsubscribeCode'], { unique: true })
export class MailPreference {
  @ForeignKey(() => Account)
  @PrimaryColumn('text')
  accountId!: string;

  /** In each announcement by mail. It allows nothing but to stop and to resume them. */
  @Column('text')
  unsubscribeCode!: string;

  /** Since when the account wants none. */
  @TimeColumn({ nullable: true })
  announcementsOffAt!: Date | null;
}
