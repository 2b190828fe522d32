export { charge, type Charge, type ChargeLine, type TokenUsage, worstCasePicos } from './pricing/charge';
export { PRICE_UNITS, type PriceUnit, pricesOutput, UNIT_DIGITS, type UnitRate } from './pricing/price-unit';
export { PriceBook, type PricesInForce, RATE_DIGITS } from './pricing/price-book';
export { ArchivedDay } from './archive/archived-day.entity';
export { readAccountArchivedUntil, readArchivedUntil } from './archive/archived-days.repository';
export { archivedHourFault } from './archive/archived-hours';
export { reconcile, type Difference } from './reconcile/reconcile.repository';
export { PRICE_ENTITIES } from './pricing/price-entities';
export { ExchangeRate } from './pricing/exchange-rate.entity';
export { GpuPrice } from './pricing/gpu-price.entity';
export { ModelPrice } from './pricing/model-price.entity';
export { PriceList, type PriceListKind } from './pricing/price-list.entity';
export { TrainingPrice } from './pricing/training-price.entity';
export { HourlyRollup } from './rollups/hourly-rollup.entity';
export { RefusedRequest } from './reports/refused-request.entity';
export { UNSERVED_KINDS, UnservedCall, type UnservedKind } from './reports/unserved-call.entity';
export { USAGE_OUTCOMES, UsageEvent, type UsageOutcome } from './reports/usage-event.entity';
export { GroupByField } from './reports/group-by-field.decorator';
export { PeriodQuery } from './reports/period.dto';
export { bucketLines, type LineDetail, usageLines } from './reports/usage-lines.repository';
export { COST_SUM_ENTITIES, ROLLUP_ENTITIES } from './rollups/rollup.entity';
export {
  GRANULARITIES,
  type Granularity,
  granularityFault,
  type RollupPeriod,
  type TimeBuckets,
  timeBuckets,
} from './reports/time-buckets';
