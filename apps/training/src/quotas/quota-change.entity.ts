import { BigIntColumn, TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';

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
