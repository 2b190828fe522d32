import { picosToDecimal } from '@inference/money';
import { type CostGroup } from './cost.repository';
import { type Dimension } from './group-by-field.decorator';

function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Renders the report as CSV (RFC 4180): a header, then one line per group. */
export function toCsv(dimensions: readonly Dimension[], groups: readonly CostGroup[]): string {
  const lines = groups.map(({ keys, costUsdPicos, tokens }) => [
    ...keys,
    picosToDecimal(costUsdPicos),
    String(tokens),
  ]);
  return [[...dimensions, 'cost_usd', 'tokens'], ...lines]
    .map((line) => `${line.map(field).join(',')}\r\n`)
    .join('');
}
