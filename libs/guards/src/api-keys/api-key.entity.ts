import { PicosColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { AccountRole } from '../accounts/account-role.entity';

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

  @TimeColumn({ default: () => 'now()' })
  createdAt!: Date;

  @TimeColumn({ nullable: true })
  lastUsedAt!: Date | null;

  @TimeColumn({ nullable: true })
  deletedAt!: Date | null;
}
