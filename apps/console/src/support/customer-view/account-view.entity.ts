import { TimeColumn } from '@inference/database';
import { Session } from '@inference/guards';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../../accounts/account.entity';

/** That a person of the staff sees the console as a customer does, for a while. */
@Entity('account_views', { schema: 'accounts' })
@Index('account_views_open', ['expiresAt'], { where: 'ended_at IS NULL' })
@Index('account_views_session', ['sessionId'])
export class AccountView {
  @PrimaryColumn('text')
  id!: string;

  /** The customer. */
  @ForeignKey(() => Account)
  @Column('text')
  accountId!: string;

  @ForeignKey(() => Account)
  @Column('text')
  staffId!: string;

  /** The session of the staff that has begun it, and in which alone it is open. */
  @ForeignKey(() => Session, { onDelete: 'CASCADE' })
  @Column('text')
  sessionId!: string;

  /** Why, for staff. */
  @Column('text')
  reason!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @TimeColumn()
  expiresAt!: Date;

  /** When it was ended, or was found to have run out. */
  @TimeColumn({ nullable: true })
  endedAt!: Date | null;
}

/** What staff has noted of an account. Customers never see it, and it is never changed. */
@Entity('account_notes', { schema: 'accounts' })
@Index('account_notes_account', ['accountId', 'createdAt', 'id'])
export class AccountNote {
  @PrimaryColumn('text')
  id!: string;

  @ForeignKey(() => Account)
  @Column('text')
  accountId!: string;

  @ForeignKey(() => Account)
  @Column('text')
  authorId!: string;

  @Column('text')
  text!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
