import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity';

@Entity('login_challenges', { schema: 'accounts' })
@Index('login_challenges_account', ['accountId'])
@Check('login_challenges_attempts_left_check', 'attempts_left >= 0')
export class LoginChallenge {
  @PrimaryColumn('bytea')
  idHash!: Buffer;

  @ForeignKey(() => Account)
  @Column('text')
  accountId!: string;

  @Column('integer')
  credentialsVersion!: number;

  @Column('text')
  method!: string;

  @Column('smallint')
  attemptsLeft!: number;

  @TimeColumn()
  expiresAt!: Date;

  @TimeColumn({ nullable: true })
  endedAt!: Date | null;
}
