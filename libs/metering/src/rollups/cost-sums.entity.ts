import { CountColumn, PicosColumn, TimeColumn } from '@inference/database';
import { Entity, PrimaryColumn } from 'typeorm';

// Sums for the reports of all accounts, which need neither units nor API keys.

@Entity('account_daily_costs', { schema: 'metering' })
export class AccountDailyCosts {
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
export class AccountMonthlyCosts {
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
export class SiteHourlyCosts {
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
export class SiteDailyCosts {
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
export class SiteMonthlyCosts {
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
