import { PicosColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { type Role } from './staff/staff-table';

/** What every service may read of an account. */
@Entity('accounts', { schema: 'accounts', synchronize: false })
export class AccountRole {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  role!: Role;
}

/** A secret by which an account calls the APIs. */
@Entity('api_keys', { schema: 'accounts' })
@Index('api_keys_account', ['accountId', 'createdAt'], { where: 'deleted_at IS NULL' })
@Index('api_keys_hash', ['keyHash'], { unique: true })
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
export const CREDENTIAL_ENTITIES = [AccountRole, ApiKey, Session];
