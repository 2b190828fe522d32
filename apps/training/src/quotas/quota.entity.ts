import { BigIntColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** A change of an account's total. Append-only. */
@Entity('quota_changes', { schema: 'training' })
@Index('quota_changes_account', ['accountId', 'id'])
export class QuotaChange {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: bigint;

  @ForeignKey('accounts')
  @Column('text')
  accountId!: string;

  /** The admin. */
  @ForeignKey('accounts')
  @Column('text')
  changedBy!: string;

  /** The old total; the default where none was set. */
  @BigIntColumn()
  fromTokens!: bigint;

  /** The new total. */
  @BigIntColumn()
  toTokens!: bigint;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  changedAt!: Date;
}

/** How many tokens an account may use for training, and has used. */
@Entity('quotas', { schema: 'training' })
@Check('quotas_total_tokens_check', 'total_tokens >= 0')
@Check('quotas_used_tokens_check', 'used_tokens >= 0')
export class Quota {
  @ForeignKey('accounts')
  @PrimaryColumn('text')
  accountId!: string;

  /** Null: the default of the service. */
  @BigIntColumn({ nullable: true })
  totalTokens!: bigint | null;

  @BigIntColumn({ default: 0 })
  usedTokens!: bigint;
}
