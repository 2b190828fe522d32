import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../../identity/accounts/account.entity';

@Entity('mail_tokens', { schema: 'accounts' })
@Index('mail_tokens_account', ['accountId', 'purpose', 'createdAt'])
@Index('mail_tokens_expiry', ['expiresAt'])
@Check('mail_tokens_purpose_check', "purpose IN ('verify_email', 'reset_password')")
export class MailToken {
  @PrimaryColumn('bytea')
  tokenHash!: Buffer;

  @ForeignKey(() => Account)
  @Column('text')
  accountId!: string;

  @Column('text')
  purpose!: string;

  @Column('text')
  email!: string;

  @Column('text')
  mailId!: string;

  @TimeColumn({ default: () => 'now()' })
  createdAt!: Date;

  @TimeColumn()
  expiresAt!: Date;

  @TimeColumn({ nullable: true })
  usedAt!: Date | null;
}
