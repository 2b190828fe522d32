export { charge, type Charge, type ChargeLine, type TokenUsage, worstCasePicos } from './pricing/charge';
export { PRICE_UNITS, type PriceUnit, pricesOutput, UNIT_DIGITS, type UnitRate } from './pricing/price-unit';
export { PriceBook, type PricesInForce, RATE_DIGITS } from './pricing/price-book';
export { reconcile, type Difference } from './reconcile/reconcile';
export { PeriodQuery } from './reports/period.dto';
export { USAGE_LINES } from './reports/usage-lines';
