import { BigIntColumn, DecimalColumn, PicosColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { type ServiceTier } from './price';
import { type PriceUnit } from './price-unit';

/** Models, GPUs and training each have a price list of their own. */
export type PriceListKind = 'models' | 'gpus' | 'training';

/** A published list replaces the previous list of its kind as a whole and never changes. */
@Entity('price_lists', { schema: 'pricing' })
@Index('price_lists_newest', ['kind', 'id'])
@Check('price_lists_kind_check', "kind IN ('models', 'gpus', 'training')")
export class PriceList {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: bigint;

  @Column('text')
  kind!: PriceListKind;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  effectiveFrom!: Date;

  /** The admin; null for a list that a migration made. */
  @ForeignKey('accounts')
  @Column('text', { nullable: true })
  publishedBy!: string | null;

  /** Why it was published, for people; null if nobody said. */
  @Column('text', { nullable: true })
  reason!: string | null;
}

/**
 * The unconditional price of one unit of a model in one price list, in a unit that versions up to 0.2.0 know. They read this table
 * alone.
 */
@Entity('model_prices', { schema: 'pricing' })
@Check('model_prices_rate_picos_check', 'rate_picos >= 0')
@Check(
  'model_prices_unit_check',
  "unit IN ('per_million_tokens', 'per_million_input_tokens', 'per_million_output_tokens', 'per_request')",
)
export class ModelPrice {
  @ForeignKey(() => PriceList)
  @BigIntColumn({ primary: true })
  priceListId!: bigint;

  /** Place in the list, from 1. */
  @Column('integer')
  position!: number;

  /** The model. */
  @PrimaryColumn('text')
  slug!: string;

  @PrimaryColumn('text')
  unit!: PriceUnit;

  /** Picos for one token or request, not for the million that the unit names. */
  @PicosColumn()
  ratePicos!: bigint;
}

/** A price in one price list that has conditions, is not effective yet, or has a unit that versions up to 0.2.0 do not know. */
@Entity('further_model_prices', { schema: 'pricing' })
@Check(
  'further_model_prices_hours_check',
  "hours ~ '^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$' AND left(hours, 5) <> right(hours, 5)",
)
@Check('further_model_prices_min_input_tokens_check', 'min_input_tokens > 0')
@Check('further_model_prices_rate_picos_check', 'rate_picos >= 0')
@Check('further_model_prices_service_tier_check', "service_tier IN ('batch', 'flex', 'priority')")
export class FurtherModelPrice {
  @ForeignKey(() => PriceList)
  @BigIntColumn({ primary: true })
  priceListId!: bigint;

  /** Place in the list, from 1; the other prices of the list have the rest of the places. */
  @PrimaryColumn('integer')
  position!: number;

  /** The model. */
  @Column('text')
  slug!: string;

  @Column('text')
  unit!: PriceUnit;

  /** Picos for one token, character, request, image or search, or for a minute of audio. */
  @PicosColumn()
  ratePicos!: bigint;

  /** For calls with at least so many tokens of input. */
  @Column('integer', { nullable: true })
  minInputTokens!: number | null;

  @Column('text', { nullable: true })
  serviceTier!: ServiceTier | null;

  /** A daily window in the time zone of the site, `HH:MM-HH:MM`. */
  @Column('text', { nullable: true })
  hours!: string | null;

  /** From when on it replaces the price with the same unit and conditions. Null: since its list is in force. */
  @TimeColumn({ nullable: true })
  effectiveFrom!: Date | null;
}

/** The price of a GPU in one price list. */
@Entity('gpu_prices', { schema: 'pricing' })
@Check('gpu_prices_hourly_price_picos_check', 'hourly_price_picos >= 0')
export class GpuPrice {
  @ForeignKey(() => PriceList)
  @BigIntColumn({ primary: true })
  priceListId!: bigint;

  /** Place in the list, from 1. */
  @Column('integer')
  position!: number;

  @PrimaryColumn('text')
  name!: string;

  @PicosColumn()
  hourlyPricePicos!: bigint;
}

/** The price of training in one price list. */
@Entity('training_prices', { schema: 'pricing' })
@Check('training_prices_gpu_hour_picos_check', 'gpu_hour_picos >= 0')
@Check('training_prices_token_rate_picos_check', 'token_rate_picos >= 0')
export class TrainingPrice {
  @ForeignKey(() => PriceList)
  @BigIntColumn({ primary: true })
  priceListId!: bigint;

  /** Picos for one token. */
  @PicosColumn()
  tokenRatePicos!: bigint;

  /** Picos for one hour of a GPU. Null in a migrated price if no GPU price was published. */
  @PicosColumn({ nullable: true })
  gpuHourPicos!: bigint | null;
}

/** What an upstream takes for its models. The newest list of an upstream replaces its former one as a whole. */
@Entity('cost_price_lists', { schema: 'pricing' })
@Index('cost_price_lists_newest', ['upstreamId', 'id'])
export class CostPriceList {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: bigint;

  /** Stays when the upstream is removed. */
  @Column('text')
  upstreamId!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  effectiveFrom!: Date;

  @ForeignKey('accounts')
  @Column('text', { nullable: true })
  publishedBy!: string | null;

  @Column('text', { nullable: true })
  reason!: string | null;
}

/** A price that an upstream takes. */
@Entity('cost_prices', { schema: 'pricing' })
@Check('cost_prices_rate_picos_check', 'rate_picos >= 0')
export class CostPrice {
  @ForeignKey(() => CostPriceList)
  @BigIntColumn({ primary: true })
  costPriceListId!: bigint;

  /** Place in the list, from 1. */
  @PrimaryColumn('integer')
  position!: number;

  /** The upstream's own name of the model. */
  @Column('text')
  model!: string;

  @Column('text')
  unit!: PriceUnit;

  @PicosColumn()
  ratePicos!: bigint;

  @Column('integer', { nullable: true })
  minInputTokens!: number | null;

  @Column('text', { nullable: true })
  serviceTier!: ServiceTier | null;

  @Column('text', { nullable: true })
  hours!: string | null;

  @TimeColumn({ nullable: true })
  effectiveFrom!: Date | null;
}

export const COST_PRICE_ENTITIES = [CostPrice, CostPriceList];

/**
 * The value of one unit of the site's currency in USD. A request uses the rate of its day, or of the last day before it
 * that has one.
 */
@Entity('exchange_rates', { schema: 'pricing' })
@Check('exchange_rates_usd_per_unit_check', 'usd_per_unit > 0')
export class ExchangeRate {
  /** `YYYY-MM-DD` in UTC. */
  @PrimaryColumn('date')
  day!: string;

  @DecimalColumn({ precision: 20, scale: 10 })
  usdPerUnit!: string;
}

/** The published prices and what they are worth in USD. */
export const PRICE_ENTITIES = [ExchangeRate, FurtherModelPrice, GpuPrice, ModelPrice, PriceList];
