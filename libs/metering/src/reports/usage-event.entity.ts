import { BigIntColumn, DecimalColumn, PicosColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { type LineConditions } from '../pricing/charge';
import { type Meter } from '../pricing/meter';
import { type PriceUnit } from '../pricing/price-unit';

/** completed: the whole answer; disconnected: the client left; interrupted: the upstream failed in the middle. */
export const USAGE_OUTCOMES = ['completed', 'disconnected', 'interrupted'] as const;
export type UsageOutcome = (typeof USAGE_OUTCOMES)[number];

/**
 * What was wrong with the usage that an upstream reported. `invalid_count`: a figure is no count; `no_output_tokens`: none for an
 * answer that has some; `parts_above_whole`: a detail is more than the figure that it is a part of; `total_above_parts`, `total_below_parts`: the total is not the sum of prompt and answer.
 */
export const USAGE_FAULTS = [
  'invalid_count',
  'no_output_tokens',
  'parts_above_whole',
  'total_above_parts',
  'total_below_parts',
] as const;
export type UsageFault = (typeof USAGE_FAULTS)[number];

/**
 * A part of a request's cost. Gateways write the amounts as text, the training service as numbers: only SQL reads all exactly. Lines of
 * training and of versions up to 0.2.0 lack the optional fields.
 */
interface UsageEventLine {
  meter?: Meter;
  rate_picos?: string;
  conditions?: LineConditions | null;
  /** Place of the price in the list of the event. */
  price?: number | null;
  unit: PriceUnit;
  quantity: string | number;
  tokens: string | number;
  cost_picos: string | number;
  cost_usd_picos: string | number;
}

/** What one upstream takes for a call. */
interface UsageEventCost {
  upstream: string;
  /** The list of cost prices. */
  list: string;
  served: boolean;
  cost_picos: string;
}

/** Usage and cost of one served request. Written once and debited once. */
@Entity('usage_events', { schema: 'metering' })
@Index('usage_events_account', ['accountId', 'occurredAt'])
@Index('usage_events_broken_off', ['accountId', 'occurredAt'], { where: "outcome <> 'completed'" })
@Check('usage_events_cost_picos_check', 'cost_picos >= 0')
@Check('usage_events_cost_usd_picos_check', 'cost_usd_picos >= 0')
@Check('usage_events_input_tokens_check', 'input_tokens >= 0')
@Check('usage_events_outcome_check', "outcome IN ('completed', 'disconnected', 'interrupted')")
@Check('usage_events_output_tokens_check', 'output_tokens >= 0')
export class UsageEvent {
  /** When it was settled, by the clock of the database. All processes assign the request to the hour of this time. */
  @TimeColumn({ primary: true })
  occurredAt!: Date;

  @PrimaryColumn('text')
  requestId!: string;

  @TimeColumn()
  startedAt!: Date;

  @Column('text')
  accountId!: string;

  /** Null for a request without an API key. */
  @Column('text', { nullable: true })
  apiKeyId!: string | null;

  @Column('text')
  model!: string;

  /** The service that took the request. */
  @Column('text')
  entrypoint!: string;

  @Column('text')
  endpoint!: string;

  @Column('text')
  upstream!: string;

  @Column('text')
  outcome!: UsageOutcome;

  @BigIntColumn()
  inputTokens!: bigint;

  @BigIntColumn()
  outputTokens!: bigint;

  /** The upstream reported no usage; the gateway estimated the tokens. */
  @Column('boolean')
  estimated!: boolean;

  @BigIntColumn()
  priceListId!: bigint;

  /** The value of one unit of the site's currency in USD. */
  @DecimalColumn({ precision: 20, scale: 10 })
  usdPerUnit!: string;

  @PicosColumn()
  costPicos!: bigint;

  /** In 10⁻¹² USD. */
  @PicosColumn()
  costUsdPicos!: bigint;

  /** The parts of the cost, one for each meter that counted something. Of versions up to 0.2.0 one for each priced unit. */
  @Column('jsonb')
  lines!: UsageEventLine[];

  @Column('text')
  settlementId!: string;

  /** From the beginning of the call to its settlement, by the clock of the gateway. */
  @Column('integer', { nullable: true })
  durationMs!: number | null;

  /** Until the first token of a stream arrived at the gateway. Null for an answer that came at once. */
  @Column('integer', { nullable: true })
  timeToFirstTokenMs!: number | null;

  /** Of the first answer, as the upstream reported it. */
  @Column('text', { nullable: true })
  finishReason!: string | null;

  /** Null unless the upstream's report contradicted itself; then the larger figure was charged. */
  @Column('text', { nullable: true })
  usageFault!: UsageFault | null;

  /**
   * What the call cost the operator at its upstreams, failed attempts included. Without one that is `served`, the cost of the answer is not known.
   * Null for calls that were settled before this was counted. Customers never see it.
   */
  @Column('jsonb', { nullable: true })
  upstreamCosts!: UsageEventCost[] | null;
}

/**
 * A settled batch of usage events. A batch that is sent again after a broken connection is not settled again. Deleted
 * after a day.
 */
@Entity('settlements', { schema: 'metering' })
@Index('settlements_age', ['settledAt'])
export class Settlement {
  /** Chosen by the sender of the batch. */
  @PrimaryColumn('text')
  id!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  settledAt!: Date;

  /** Requests that the wallet did not cover. */
  @Column('text', { array: true, default: () => "'{}'" })
  refusedRequestIds!: string[];
}
