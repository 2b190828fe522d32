import { TimeColumn } from '@inference/database';
import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { AccountRole } from '../accounts/account-role.entity';

/** A sign-in of an account, which its session tokens name. */
@Entity('sessions', { schema: 'accounts' })
@Index('sessions_account', ['accountId'])
@Index('sessions_expiry', ['expiresAt'])
export class Session {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  @ManyToOne(() => AccountRole, { nullable: false })
  @JoinColumn()
  account!: AccountRole;

  @TimeColumn({ default: () => 'now()' })
  createdAt!: Date;

  @TimeColumn()
  expiresAt!: Date;

  @TimeColumn({ nullable: true })
  endedAt!: Date | null;
}
