import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../../identity/accounts/account.entity';

@Entity('mail_outbox', { schema: 'accounts' })
@Index('mail_outbox_due', ['dueAt'])
@Check('mail_outbox_check', '(identifier IS NULL) <> (account_id IS NULL)')
export class OutboxMail {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  kind!: string;

  @Column('text', { nullable: true })
  identifier!: string | null;

  @ForeignKey(() => Account)
  @Column('text', { nullable: true })
  accountId!: string | null;

  @Column('jsonb', { default: () => "'{}'" })
  params!: unknown;

  @TimeColumn({ default: () => 'now()' })
  createdAt!: Date;

  @TimeColumn({ default: () => 'now()' })
  nextAttemptAt!: Date;

  @Column('integer', { default: 0 })
  attempts!: number;

  @TimeColumn({ nullable: true })
  claimedUntil!: Date | null;

  @Column('text', { nullable: true })
  lastError!: string | null;

  @TimeColumn({
    insert: false,
    update: false,
    generatedType: 'STORED',
    asExpression: 'GREATEST(next_attempt_at, claimed_until)',
  })
  dueAt!: Date;
}
