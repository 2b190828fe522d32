import { type EntityClass } from '@inference/database';
import {
  AccountDailyCosts,
  AccountMonthlyCosts,
  SiteDailyCosts,
  SiteHourlyCosts,
  SiteMonthlyCosts,
} from './cost-sums.entity';
import { HourlyRollup } from './hourly-rollup.entity';
import { DailyRollup, MonthlyRollup, RollupProgress } from './rollup-periods.entity';

/** What reports read besides the events. */
export const ROLLUP_ENTITIES: EntityClass[] = [
  AccountDailyCosts,
  AccountMonthlyCosts,
  DailyRollup,
  HourlyRollup,
  MonthlyRollup,
  RollupProgress,
  SiteDailyCosts,
  SiteHourlyCosts,
  SiteMonthlyCosts,
];
