import { csvLine } from '@inference/http';
import { picosToDecimal } from '@inference/money';
import { type CostGroup } from './cost.repository';
import { type GroupKey } from './cost-dimensions';

/** Renders the report as CSV: a header, then one line per group. */
export function toCsv(names: readonly GroupKey[], groups: readonly CostGroup[]): string {
  const lines = groups.map(({ keys, costUsdPicos, tokens }) => [
    ...keys,
    picosToDecimal(costUsdPicos),
    String(tokens),
  ]);
  return [[...names, 'cost_usd', 'tokens'], ...lines].map(csvLine).join('');
}
