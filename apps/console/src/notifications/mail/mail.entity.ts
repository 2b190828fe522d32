import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../../accounts/account.entity';
import { type TokenMailKind } from './mail-kinds';

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

/** A single-use token that a mail carries. It gives the same access as a password, so only its hash is stored. */
@Entity('mail_tokens', { schema: 'accounts' })
@Index('mail_tokens_account', ['accountId', 'purpose', 'createdAt'])
@Index('mail_tokens_expiry', ['expiresAt'])
@Check('mail_tokens_purpose_check', "purpose IN ('verify_email', 'reset_password')")
export class MailToken {
  /** SHA-256. */
  @PrimaryColumn('bytea')
  tokenHash!: Buffer;

  @ForeignKey(() => Account)
  @Column('text')
  accountId!: string;

  @Column('text')
  purpose!: TokenMailKind;

  /** The address to which it is sent. */
  @Column('text')
  email!: string;

  /** The mail that carries it. A mail that is sent twice has two tokens and counts once. */
  @Column('text')
  mailId!: string;

  @TimeColumn({ default: () => 'now()' })
  createdAt!: Date;

  @TimeColumn()
  expiresAt!: Date;

  /** When it was used or revoked. */
  @TimeColumn({ nullable: true })
  usedAt!: Date | null;
}
