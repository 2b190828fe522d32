import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity('login_attempts', { schema: 'accounts' })
@Index('login_attempts_expiry', ['expiresAt'])
@Check('login_attempts_failures_check', 'failures >= (0)::double precision')
export class LoginAttempt {
  @PrimaryColumn('text')
  subject!: string;

  @Column('double precision')
  failures!: number;

  @TimeColumn()
  countedAt!: Date;

  @TimeColumn({ nullable: true })
  retryAt!: Date | null;

  @TimeColumn()
  expiresAt!: Date;
}
