import { PicosColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { type Role } from './staff/staff-table';

/** For how long a spending limit counts. */
export const SPEND_PERIODS = ['total', 'day', 'week', 'month'] as const;
export type SpendPeriod = (typeof SPEND_PERIODS)[number];

/** `api`: calls models; `management`: makes and changes keys of kind `api`, and nothing else. */
export const KEY_KINDS = ['api', 'management'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** What every service may read of an account. */
@Entity('accounts', { schema: 'accounts', synchronize: false })
export class AccountRole {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  role!: Role;

  /** Since when staff has shut the account out; null: it is not suspended. */
  @TimeColumn({ nullable: true })
  suspendedAt!: Date | null;

  /** Whether responses of models may be stored for it. */
  @Column('boolean', { default: false })
  storesResponses!: boolean;
}

/** A secret by which an account calls the APIs. */
@Entity('api_keys', { schema: 'accounts' })
@Index('api_keys_account', ['accountId', 'createdAt'], { where: 'deleted_at IS NULL' })
@Index('api_keys_hash', ['keyHash'], { unique: true })
@Index('api_keys_prefix', { synchronize: false })
@Index('api_keys_suspended', ['suspendedAt'], { where: 'suspended_at IS NOT NULL' })
@Check('api_keys_check', '(key_hash IS NULL) = (deleted_at IS NOT NULL)')
@Check('api_keys_spend_limit_picos_check', 'spend_limit_picos >= 0')
export class ApiKey {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  @ManyToOne(() => AccountRole, { nullable: false })
  @JoinColumn()
  account!: AccountRole;

  @Column('text', { default: 'api' })
  kind!: KeyKind;

  /** The management key that made it; null: a person of the account. */
  @Column('text', { nullable: true })
  createdBy!: string | null;

  /** When its secret was replaced last; null: never. */
  @TimeColumn({ nullable: true })
  rotatedAt!: Date | null;

  /** The management key that replaced it; null: a person of the account. */
  @Column('text', { nullable: true })
  rotatedBy!: string | null;

  @Column('text')
  name!: string;

  @Column('text')
  prefix!: string;

  /** Keyed digest of the secret; null once the key is deleted. */
  @Column('bytea', { nullable: true })
  keyHash!: Buffer | null;

  /** Null: no limit. The limits of a management key are those of each key that it makes. */
  @PicosColumn({ nullable: true })
  spendLimitPicos!: bigint | null;

  /** What `spendLimitPicos` is for; all but `total` begin anew, in the time zone of the account. */
  @Column('text', { default: 'total' })
  spendPeriod!: SpendPeriod;

  /** Slugs, or beginnings of slugs followed by `*`; null: all models. */
  @Column('text', { nullable: true, array: true })
  allowedModels!: string[] | null;

  /** Whether the answers of models tell their price. */
  @Column('boolean', { default: true })
  reportsCost!: boolean;

  @Column('text', { default: '' })
  description!: string;

  @Column('text', { array: true, default: '{}' })
  tags!: string[];

  /** When the owner switched it off; null while it is on. */
  @TimeColumn({ nullable: true })
  disabledAt!: Date | null;

  /** Null: never. */
  @TimeColumn({ nullable: true })
  expiresAt!: Date | null;

  /** How many days before the end its owner was told last; null: not yet. */
  @Column('integer', { nullable: true })
  expiryNoticeDays!: number | null;

  /** Addresses and networks from which it may be used; null: all. */
  @Column('text', { nullable: true, array: true })
  allowedIps!: string[] | null;

  /** Null: no limit of the key's own; the same for the next two. */
  @Column('integer', { nullable: true })
  requestsPerMinute!: number | null;

  @Column('integer', { nullable: true })
  tokensPerMinute!: number | null;

  @Column('integer', { nullable: true })
  maxConcurrency!: number | null;

  @TimeColumn({ default: () => 'now()' })
  createdAt!: Date;

  @TimeColumn({ nullable: true })
  lastUsedAt!: Date | null;

  @TimeColumn({ nullable: true })
  deletedAt!: Date | null;

  /** Since when staff has shut the key out; null: it is not suspended. */
  @TimeColumn({ nullable: true })
  suspendedAt!: Date | null;

  /** Why, for staff. */
  @Column('text', { nullable: true })
  suspensionReason!: string | null;

  /** Why, for the owner of the key. */
  @Column('text', { nullable: true })
  suspensionMessage!: string | null;
}

/** A secret that a rotation has replaced. It works until it ends. */
@Entity('former_key_secrets', { schema: 'accounts' })
@Index('former_key_secrets_end', ['endsAt'])
@Index('former_key_secrets_key', ['apiKeyId'])
export class FormerKeySecret {
  /** Keyed digest of the secret. */
  @PrimaryColumn('bytea')
  keyHash!: Buffer;

  @ForeignKey(() => ApiKey)
  @Column('text')
  apiKeyId!: string;

  @TimeColumn()
  endsAt!: Date;
}

/** `provider`: the OpenID provider says in `amr` that it has asked for one. */
export type SecondFactorProof = 'totp' | 'recovery_code' | 'provider';

/** A sign-in of an account, which its session tokens name. */
@Entity('sessions', { schema: 'accounts' })
@Index('sessions_account', ['accountId'])
@Index('sessions_expiry', ['expiresAt'])
@Check('sessions_second_factor_check', "second_factor IN ('totp', 'recovery_code', 'provider')")
export class Session {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  @ManyToOne(() => AccountRole, { nullable: false })
  @JoinColumn()
  account!: AccountRole;

  @TimeColumn({ default: () => 'now()' })
  createdAt!: Date;

  @TimeColumn()
  expiresAt!: Date;

  @TimeColumn({ nullable: true })
  endedAt!: Date | null;

  /** What proved the second factor in this session; null if nothing did. */
  @Column('text', { nullable: true })
  secondFactor!: SecondFactorProof | null;
}

/** The tables that CredentialsModule reads. */
export const CREDENTIAL_ENTITIES = [AccountRole, ApiKey, FormerKeySecret, Session];
