export {
  INPUT_METERS,
  inputTokensOf,
  lineageOf,
  type Meter,
  type MeterCounts,
  type MeteredUsage,
  METERS,
  OUTPUT_METERS,
  outputTokensOf,
  PARENTS,
} from './pricing/meter';
export {
  charge,
  type Charge,
  type ChargeLine,
  countsOf,
  type LineConditions,
  type TokenUsage,
  type UsageBounds,
  worstCasePicos,
} from './pricing/charge';
export {
  costOf,
  countsOfRate,
  FORMER_PRICE_UNITS,
  PRICE_UNITS,
  type PriceUnit,
  quantityIn,
  UNIT_DIGITS,
  UNITS_OF_METER,
} from './pricing/price-unit';
export {
  conditionCount,
  conditionsKey,
  type DailyWindow,
  hasPriceOf,
  holdsFor,
  HOURS_FORM,
  isWithin,
  minutesOf,
  newestEffective,
  precedence,
  type Price,
  type PriceConditions,
  pricesAt,
  pricesOutput,
  SERVICE_TIERS,
  type ServiceTier,
  startOf,
  type UnitRate,
} from './pricing/price';
export { MODEL_PRICES } from './pricing/prices.repository';
export { PriceBook, type PricesInForce, RATE_DIGITS } from './pricing/price-book';
export { ArchivedDay } from './archive/archived-day.entity';
export { readAccountArchivedUntil, readArchivedUntil } from './archive/archived-days.repository';
export { archivedHourFault } from './archive/archived-hours';
export { type Difference, reconcile } from './reconcile/checks.repository';
export {
  COST_PRICE_ENTITIES,
  CostPrice,
  CostPriceList,
  ExchangeRate,
  FurtherModelPrice,
  GpuPrice,
  ModelPrice,
  PRICE_ENTITIES,
  PriceList,
  type PriceListKind,
  TrainingPrice,
} from './pricing/price-list.entity';
export { HourlyRollup } from './rollups/hourly-rollup.entity';
export {
  ClientRequestId,
  RefusedRequest,
  UNSERVED_KINDS,
  UnservedCall,
  type UnservedKind,
} from './reports/unserved-call.entity';
export {
  USAGE_FAULTS,
  USAGE_OUTCOMES,
  UsageEvent,
  type UsageFault,
  type UsageOutcome,
} from './reports/usage-event.entity';
export {
  COST_DIMENSIONS,
  type CostDimension,
  CostReportItem,
  CostReportQuery,
  CostReportResponse,
} from './reports/cost-report.dto';
export { GroupByField, PeriodQuery } from './reports/period.dto';
export { bucketLines, type LineDetail, usageLines } from './reports/usage-lines.repository';
export { COST_SUM_ENTITIES, MARGIN_ENTITIES, ROLLUP_ENTITIES } from './rollups/rollup.entity';
export {
  GRANULARITIES,
  type Granularity,
  granularityFault,
  type RollupPeriod,
  type TimeBuckets,
  timeBuckets,
} from './reports/time-buckets';
