import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../../accounts/account.entity';

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
