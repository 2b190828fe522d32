import { BigIntColumn, DecimalColumn, PicosColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity('usage_events', { schema: 'metering' })
@Index('usage_events_account', ['accountId', 'occurredAt'])
@Check('usage_events_cost_picos_check', 'cost_picos >= 0')
@Check('usage_events_cost_usd_picos_check', 'cost_usd_picos >= 0')
@Check('usage_events_input_tokens_check', 'input_tokens >= 0')
@Check('usage_events_outcome_check', "outcome IN ('completed', 'disconnected', 'interrupted')")
@Check('usage_events_output_tokens_check', 'output_tokens >= 0')
export class UsageEvent {
  @TimeColumn({ primary: true })
  occurredAt!: Date;

  @PrimaryColumn('text')
  requestId!: string;

  @TimeColumn()
  startedAt!: Date;

  @Column('text')
  accountId!: string;

  @Column('text', { nullable: true })
  apiKeyId!: string | null;

  @Column('text')
  model!: string;

  @Column('text')
  entrypoint!: string;

  @Column('text')
  endpoint!: string;

  @Column('text')
  upstream!: string;

  @Column('text')
  outcome!: string;

  @BigIntColumn()
  inputTokens!: bigint;

  @BigIntColumn()
  outputTokens!: bigint;

  @Column('boolean')
  estimated!: boolean;

  @BigIntColumn()
  priceListId!: bigint;

  @DecimalColumn({ precision: 20, scale: 10 })
  usdPerUnit!: string;

  @PicosColumn()
  costPicos!: bigint;

  @PicosColumn()
  costUsdPicos!: bigint;

  @Column('jsonb')
  lines!: unknown;

  @Column('text')
  settlementId!: string;
}
