import { BigIntColumn, TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';

@Entity('quota_changes', { schema: 'training' })
@Index('quota_changes_account', ['accountId', 'id'])
export class QuotaChange {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: bigint;

  @ForeignKey('accounts')
  @Column('text')
  accountId!: string;

  @ForeignKey('accounts')
  @Column('text')
  changedBy!: string;

  @BigIntColumn()
  fromTokens!: bigint;

  @BigIntColumn()
  toTokens!: bigint;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  changedAt!: Date;
}
