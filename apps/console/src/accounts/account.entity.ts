import { TimeColumn } from '@inference/database';
import { type Role } from '@inference/guards';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, VirtualColumn } from 'typeorm';
import { type Language } from './languages';

const HAS_TWO_FACTOR = (account: string) =>
  `EXISTS (SELECT FROM accounts.totp t WHERE t.account_id = ${account}.id AND t.enabled_at IS NOT NULL)`;

/** A customer or a person of the staff, with what it signs in with. */
@Entity('accounts', { schema: 'accounts' })
@Index('accounts_admins', ['id'], { where: "role = 'admin'" })
@Index('accounts_email', ['email'], { unique: true })
@Index('accounts_phone', ['phone'], { unique: true })
@Index('accounts_search', { synchronize: false })
@Index('accounts_staff', ['id'], { where: "role <> 'user'" })
@Index('accounts_stores_responses_set', ['storesResponsesSetAt'], {
  where: 'stores_responses_set_at IS NOT NULL',
})
@Index('accounts_suspended', ['suspendedAt'], { where: 'suspended_at IS NOT NULL' })
@Index('accounts_time', ['createdAt', 'id'])
@Index('accounts_username', ['username'], { unique: true })
@Check('accounts_email_check', 'email = lower(email)')
@Check('accounts_language_check', "language IN ('en', 'zh-CN')")
@Check('accounts_role_check', "role IN ('user', 'admin', 'operator', 'finance', 'support', 'analyst')")
@Check('accounts_username_check', 'username = lower(username)')
export class Account {
  @PrimaryColumn('text')
  id!: string;

  /** In lower case. */
  @Column('text')
  email!: string;

  /** E.164. */
  @Column('text', { nullable: true })
  phone!: string | null;

  /** In lower case. */
  @Column('text', { nullable: true })
  username!: string | null;

  /** Null for an account that signs in through a provider only. Read only by statements that name it. */
  @Column('text', { nullable: true, select: false })
  passwordHash!: string | null;

  @Column('text', { default: 'user' })
  role!: Role;

  @TimeColumn({ default: () => 'now()' })
  createdAt!: Date;

  @TimeColumn({ nullable: true })
  emailVerifiedAt!: Date | null;

  /** Language of mails and receipts. */
  @Column('text', { default: 'en' })
  language!: Language;

  /** Where the days of spending limits begin. */
  @Column('text', { default: 'UTC' })
  timeZone!: string;

  /** Grows with every change of the password, the second factor or the identities. */
  @Column('integer', { default: 0 })
  credentialsVersion!: number;

  /** Since when staff has shut the account out; null: it is not suspended. */
  @TimeColumn({ nullable: true })
  suspendedAt!: Date | null;

  /** Why, for staff. */
  @Column('text', { nullable: true })
  suspensionReason!: string | null;

  /** Why, for the owner, who reads it after a correct sign-in only. */
  @Column('text', { nullable: true })
  suspensionMessage!: string | null;

  /** Whether responses of models may be stored. */
  @Column('boolean', { default: false })
  storesResponses!: boolean;

  /** Since when that is so; null: it was never changed. What was stored before is deleted. */
  @TimeColumn({ nullable: true })
  storesResponsesSetAt!: Date | null;

  @VirtualColumn({ type: 'boolean', query: (account) => `${account}.password_hash IS NOT NULL` })
  hasPassword!: boolean;

  /** Whether a sign-in needs a second factor. */
  @VirtualColumn({ type: 'boolean', query: HAS_TWO_FACTOR })
  twoFactor!: boolean;

  /** Whether the owner has proved to receive mail at the address. */
  get emailVerified(): boolean {
    return this.emailVerifiedAt !== null;
  }
}

/** That an account has accepted a version of the terms of use. */
@Entity('terms_acceptances', { schema: 'accounts' })
export class TermsAcceptance {
  @ForeignKey(() => Account)
  @PrimaryColumn('text')
  accountId!: string;

  @PrimaryColumn('text')
  version!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  acceptedAt!: Date;
}
