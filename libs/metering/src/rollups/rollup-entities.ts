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

/** What reports of one account read besides the events. */
export const ROLLUP_ENTITIES: EntityClass[] = [DailyRollup, HourlyRollup, MonthlyRollup, RollupProgress];

/** What reports of all accounts read besides. */
export const COST_SUM_ENTITIES: EntityClass[] = [
  AccountDailyCosts,
  AccountMonthlyCosts,
  SiteDailyCosts,
  SiteHourlyCosts,
  SiteMonthlyCosts,
];
