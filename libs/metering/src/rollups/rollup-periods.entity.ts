import { CountColumn, PicosColumn, TimeColumn } from '@inference/database';
import { Check, Entity, Index, PrimaryColumn } from 'typeorm';
import { type PriceUnit } from '../pricing/price-unit';

// TypeORM puts inherited columns first, but the keys begin with account and time. So the columns are repeated.

/** Sums of the hourly rollup by day. The day in which the rolled hours end is there in part. */
@Entity('daily_rollup', { schema: 'metering' })
@Index('daily_rollup_day', ['day'])
export class DailyRollup {
  @PrimaryColumn('text')
  accountId!: string;

  /** Start of the day (UTC). */
  @TimeColumn({ primary: true })
  day!: Date;

  @PrimaryColumn('text')
  model!: string;

  @PrimaryColumn('text')
  entrypoint!: string;

  @PrimaryColumn('text')
  unit!: PriceUnit;

  /** Empty for requests without an API key. */
  @PrimaryColumn('text')
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
}

/** Sums of the days that have ended, by month. */
@Entity('monthly_rollup', { schema: 'metering' })
@Index('monthly_rollup_month', ['month'])
export class MonthlyRollup {
  @PrimaryColumn('text')
  accountId!: string;

  /** Start of the month (UTC). */
  @TimeColumn({ primary: true })
  month!: Date;

  @PrimaryColumn('text')
  model!: string;

  @PrimaryColumn('text')
  entrypoint!: string;

  @PrimaryColumn('text')
  unit!: PriceUnit;

  /** Empty for requests without an API key. */
  @PrimaryColumn('text')
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
}

/** How far the hours are rolled up. One row. */
@Entity('rollup_progress', { schema: 'metering' })
@Check('rollup_progress_singleton_check', 'singleton')
export class RollupProgress {
  @PrimaryColumn('boolean', { default: true })
  singleton!: boolean;

  /** The tables hold the hours before this one (UTC). Null: none. */
  @TimeColumn({ nullable: true })
  rolledUntil!: Date | null;
}
