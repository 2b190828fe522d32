import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../../accounts/account.entity';

/** A mail that is to be sent. It contains no secret: its token is created when it is sent. */
@Entity('mail_outbox', { schema: 'accounts' })
@Index('mail_outbox_due', ['dueAt'])
@Check('mail_outbox_check', '(identifier IS NULL) <> (account_id IS NULL)')
export class OutboxMail {
  @PrimaryColumn('text')
  id!: string;

  /** A MailKind, or one that only a newer version of the console knows. */
  @Column('text')
  kind!: string;

  /** What somebody typed to name an account, normalized. The sender looks up whether an account has it. */
  @Column('text', { nullable: true })
  identifier!: string | null;

  @ForeignKey(() => Account)
  @Column('text', { nullable: true })
  accountId!: string | null;

  /** Depends on the kind: see MailRequest. */
  @Column('jsonb', { default: () => "'{}'" })
  params!: object;

  @TimeColumn({ default: () => 'now()' })
  createdAt!: Date;

  @TimeColumn({ default: () => 'now()' })
  nextAttemptAt!: Date;

  @Column('integer', { default: 0 })
  attempts!: number;

  /** Until then only the sender that claimed it sends it. */
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
