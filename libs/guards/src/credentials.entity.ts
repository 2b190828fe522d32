import { PicosColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { type Role } from './caller';

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

  @Column('text')
  name!: string;

  @Column('text')
  prefix!: string;

  /** Keyed digest of the secret; null once the key is deleted. */
  @Column('bytea', { nullable: true })
  keyHash!: Buffer | null;

  /** Null: no limit. */
  @PicosColumn({ nullable: true })
  spendLimitPicos!: bigint | null;

  /** Slugs; null: all models. */
  @Column('text', { nullable: true, array: true })
  allowedModels!: string[] | null;

  /** Whether the answers of models tell their price. */
  @Column('boolean', { default: true })
  reportsCost!: boolean;

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

/** A sign-in of an account, which its session tokens name. */
@Entity('sessions', { schema: 'accounts' })
@Index('sessions_account', ['accountId'])
@Index('sessions_expiry', ['expiresAt'])
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
}

/** The tables that CredentialsModule reads. */
export const CREDENTIAL_ENTITIES = [AccountRole, ApiKey, Session];
