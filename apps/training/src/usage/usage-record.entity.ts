import { BigIntColumn, PicosColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

/** Usage that a trainer has reported. Append-only. */
@Entity('usage_records', { schema: 'training' })
@Index('usage_records_account', ['accountId'])
@Check('usage_records_cost_picos_check', 'cost_picos >= 0')
@Check('usage_records_tokens_check', 'tokens > 0')
@Unique(['eventId'])
export class UsageRecord {
  /** Chosen by the trainer. */
  @PrimaryColumn('text')
  id!: string;

  @ForeignKey('accounts')
  @Column('text')
  accountId!: string;

  /** The model that was trained. The usage event has the slug of the price instead. */
  @Column('text')
  model!: string;

  @BigIntColumn()
  tokens!: bigint;

  /** Id of the usage event. */
  @Column('text')
  eventId!: string;

  @PicosColumn()
  costPicos!: bigint;

  @TimeColumn()
  recordedAt!: Date;
}
