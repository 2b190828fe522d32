import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../../accounts/account.entity';
import { type TokenMailKind } from './mail-kinds';

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
