import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../../accounts/account.entity';

/** A sign-in that waits for a second factor. */
@Entity('login_challenges', { schema: 'accounts' })
@Index('login_challenges_account', ['accountId'])
@Check('login_challenges_attempts_left_check', 'attempts_left >= 0')
export class LoginChallenge {
  /** SHA-256 of the id, because the id replaces the password until the challenge ends. */
  @PrimaryColumn('bytea')
  idHash!: Buffer;

  @ForeignKey(() => Account)
  @Column('text')
  accountId!: string;

  /** The version that the account's credentials had when the first factor was checked. */
  @Column('integer')
  credentialsVersion!: number;

  /** The first factor. */
  @Column('text')
  method!: string;

  /** Codes that may still be tried. */
  @Column('smallint')
  attemptsLeft!: number;

  @TimeColumn()
  expiresAt!: Date;

  @TimeColumn({ nullable: true })
  endedAt!: Date | null;
}
