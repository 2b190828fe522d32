import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The failed login attempts that count against one subject. */
@Entity('login_attempts', { schema: 'accounts' })
@Index('login_attempts_expiry', ['expiresAt'])
@Check('login_attempts_failures_check', 'failures >= (0)::double precision')
export class LoginAttempt {
  /** `<kind> <account id> <network>` or `address <network>`. */
  @PrimaryColumn('text')
  subject!: string;

  /** Decreases with time: a failure is forgiven little by little. */
  @Column('double precision')
  failures!: number;

  @TimeColumn()
  countedAt!: Date;

  @TimeColumn({ nullable: true })
  retryAt!: Date | null;

  @TimeColumn()
  expiresAt!: Date;
}
