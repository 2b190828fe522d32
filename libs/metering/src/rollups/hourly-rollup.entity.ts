import { BigIntColumn, CountColumn, PicosColumn, TimeColumn } from '@inference/database';
import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { type PriceUnit } from '../pricing/price-unit';

/** Sums of an account's usage events by hour, model, entrypoint, unit and API key. Folding adds to them. */
@Entity('hourly_rollup', { schema: 'metering' })
@Index('hourly_rollup_hour', ['hour'])
export class HourlyRollup {
  @PrimaryColumn('text')
  accountId!: string;

  /** Start of the hour (UTC). */
  @TimeColumn({ primary: true })
  hour!: Date;

  @PrimaryColumn('text')
  model!: string;

  /** The service that took the request. */
  @PrimaryColumn('text')
  entrypoint!: string;

  @PrimaryColumn('text')
  unit!: PriceUnit;

  /** Empty for requests without an API key. */
  @PrimaryColumn('text', { default: '' })
  apiKeyId!: string;

  /** Tokens or requests, depending on the unit. */
  @CountColumn()
  quantity!: bigint;

  /** Each token of a request is counted in one unit only. */
  @CountColumn()
  tokens!: bigint;

  @PicosColumn()
  costPicos!: bigint;

  /** In 10⁻¹² USD. */
  @PicosColumn()
  costUsdPicos!: bigint;

  /** Calls, each counted in one unit only. Null: the hour has calls that were settled before they were counted. */
  @BigIntColumn({ nullable: true })
  calls!: bigint | null;
}

/** Sums of the events of one batch that wait to be folded into rollup, ledger and wallet. */
@Entity('unfolded_usage', { schema: 'metering' })
export class UnfoldedUsage {
  @PrimaryColumn('text')
  accountId!: string;

  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: bigint;

  /** Start of the hour (UTC). */
  @TimeColumn()
  hour!: Date;

  @Column('text')
  model!: string;

  @Column('text')
  entrypoint!: string;

  @Column('text')
  unit!: PriceUnit;

  /** Empty for requests without an API key. */
  @Column('text')
  apiKeyId!: string;

  @CountColumn()
  quantity!: bigint;

  @CountColumn()
  tokens!: bigint;

  @PicosColumn()
  costPicos!: bigint;

  /** In 10⁻¹² USD. */
  @PicosColumn()
  costUsdPicos!: bigint;

  @BigIntColumn()
  calls!: bigint;

  /** The part of the cost that was set aside from the limit of the key. */
  @PicosColumn()
  limitedPicos!: bigint;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  appendedAt!: Date;

  /** Set aside until then, because the account's rows could not be folded. */
  @TimeColumn({ nullable: true })
  retryAt!: Date | null;
}

/** Sums by day of what calls brought in and what they cost. Folding adds to them. */
@Entity('daily_margins', { schema: 'metering' })
export class DailyMargin {
  /** Start of the day (UTC). */
  @TimeColumn({ primary: true })
  day!: Date;

  @PrimaryColumn('text')
  accountId!: string;

  @PrimaryColumn('text')
  model!: string;

  @PrimaryColumn('text')
  upstream!: string;

  @BigIntColumn()
  calls!: bigint;

  /** Calls whose cost is not known, since their upstream had no cost price. */
  @BigIntColumn()
  uncostedCalls!: bigint;

  @PicosColumn()
  revenuePicos!: bigint;

  /** The part of the revenue that those calls brought in. */
  @PicosColumn()
  uncostedRevenuePicos!: bigint;

  @PicosColumn()
  costPicos!: bigint;
}

/** What an upstream takes for an attempt of a call that nobody was charged for. The margins have it by day. */
@Entity('uncharged_costs', { schema: 'metering' })
export class UnchargedCost {
  @PrimaryColumn('text')
  requestId!: string;

  /** Of the call, from 1. */
  @PrimaryColumn('integer')
  attempt!: number;

  @TimeColumn()
  occurredAt!: Date;

  @Column('text')
  accountId!: string;

  /** That was called, or the fallback whose answer failed after it had begun. */
  @Column('text')
  model!: string;

  @Column('text')
  upstream!: string;

  @BigIntColumn()
  costPriceListId!: bigint;

  @PicosColumn()
  costPicos!: bigint;
}

/** Sums of the events of one batch that wait to be folded into the margins. */
@Entity('unfolded_margins', { schema: 'metering' })
export class UnfoldedMargin {
  @PrimaryColumn('text')
  accountId!: string;

  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: bigint;

  /** Start of the day (UTC). */
  @TimeColumn()
  day!: Date;

  @Column('text')
  model!: string;

  @Column('text')
  upstream!: string;

  @BigIntColumn()
  calls!: bigint;

  @BigIntColumn()
  uncostedCalls!: bigint;

  @PicosColumn()
  revenuePicos!: bigint;

  @PicosColumn()
  uncostedRevenuePicos!: bigint;

  @PicosColumn()
  costPicos!: bigint;
}
