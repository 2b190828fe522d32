import { CountColumn, type EntityClass, PicosColumn, TimeColumn } from '@inference/database';
import { Check, Entity, Index, PrimaryColumn } from 'typeorm';
import { type PriceUnit } from '../pricing/price-unit';
import {
  DailyMargin,
  HourlyRollup,
  UnchargedCost,
  UnfoldedMargin,
  UnfoldedUsage,
} from './hourly-rollup.entity';

// Sums for the reports of all accounts, which need neither units nor API keys.

@Entity('account_daily_costs', { schema: 'metering' })
class AccountDailyCosts {
  /** Start of the day (UTC). */
  @TimeColumn({ primary: true })
  day!: Date;

  @PrimaryColumn('text')
  accountId!: string;

  @PrimaryColumn('text')
  model!: string;

  @PrimaryColumn('text')
  entrypoint!: string;

  @CountColumn()
  tokens!: bigint;

  /** In 10⁻¹² USD. */
  @PicosColumn()
  costUsdPicos!: bigint;
}

@Entity('account_monthly_costs', { schema: 'metering' })
class AccountMonthlyCosts {
  /** Start of the month (UTC). */
  @TimeColumn({ primary: true })
  month!: Date;

  @PrimaryColumn('text')
  accountId!: string;

  @PrimaryColumn('text')
  model!: string;

  @PrimaryColumn('text')
  entrypoint!: string;

  @CountColumn()
  tokens!: bigint;

  /** In 10⁻¹² USD. */
  @PicosColumn()
  costUsdPicos!: bigint;
}

@Entity('site_hourly_costs', { schema: 'metering' })
class SiteHourlyCosts {
  /** Start of the hour (UTC). */
  @TimeColumn({ primary: true })
  hour!: Date;

  @PrimaryColumn('text')
  model!: string;

  @PrimaryColumn('text')
  entrypoint!: string;

  @CountColumn()
  tokens!: bigint;

  /** In 10⁻¹² USD. */
  @PicosColumn()
  costUsdPicos!: bigint;
}

@Entity('site_daily_costs', { schema: 'metering' })
class SiteDailyCosts {
  /** Start of the day (UTC). */
  @TimeColumn({ primary: true })
  day!: Date;

  @PrimaryColumn('text')
  model!: string;

  @PrimaryColumn('text')
  entrypoint!: string;

  @CountColumn()
  tokens!: bigint;

  /** In 10⁻¹² USD. */
  @PicosColumn()
  costUsdPicos!: bigint;
}

@Entity('site_monthly_costs', { schema: 'metering' })
class SiteMonthlyCosts {
  /** Start of the month (UTC). */
  @TimeColumn({ primary: true })
  month!: Date;

  @PrimaryColumn('text')
  model!: string;

  @PrimaryColumn('text')
  entrypoint!: string;

  @CountColumn()
  tokens!: bigint;

  /** In 10⁻¹² USD. */
  @PicosColumn()
  costUsdPicos!: bigint;
}

// TypeORM puts inherited columns first, but the keys begin with account and time. So the columns are repeated.

/** Sums of the hourly rollup by day. The day in which the rolled hours end is there in part. */
@Entity('daily_rollup', { schema: 'metering' })
@Index('daily_rollup_day', ['day'])
class DailyRollup {
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
class MonthlyRollup {
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
class RollupProgress {
  @PrimaryColumn('boolean', { default: true })
  singleton!: boolean;

  /** The tables hold the hours before this one (UTC). Null: none. */
  @TimeColumn({ nullable: true })
  rolledUntil!: Date | null;
}

/** What reports of one account read besides the events. */
export const ROLLUP_ENTITIES: EntityClass[] = [
  DailyRollup,
  HourlyRollup,
  MonthlyRollup,
  RollupProgress,
  UnfoldedUsage,
];

/** What reports of all accounts read besides. */
export const COST_SUM_ENTITIES: EntityClass[] = [
  AccountDailyCosts,
  AccountMonthlyCosts,
  SiteDailyCosts,
  SiteHourlyCosts,
  SiteMonthlyCosts,
];

/** What reports of the margin read. */
export const MARGIN_ENTITIES: EntityClass[] = [DailyMargin, UnchargedCost, UnfoldedMargin];
