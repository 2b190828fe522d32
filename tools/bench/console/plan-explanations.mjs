/** @import { StatementSummary } from './statement-plans.mjs' */

/**
 * Why statements read many more rows than they return. One that does so and is not among them fails the benchmark.
 * @type {[beginning: string, why: string][]}
 */
const REASONS_FOR_MANY_ROWS = [
  [
    'WITH whole AS',
    'adds up the months, days and hours of the account in the range, by an index of the account',
  ],
];

/** @param {StatementSummary} summary @returns {string} why its plan is right, empty if there is no reason */
export function explain({ text, isIndexOnly, readsMore, rowsRead, sequential, indexes }) {
  if (isIndexOnly) return 'index only';
  if (readsMore) return REASONS_FOR_MANY_ROWS.find(([beginning]) => text.startsWith(beginning))?.[1] ?? '';
  if (rowsRead === 0) return 'finds no rows';
  return [
    ...(indexes.length > 0
      ? ['takes the rows that an index names from their table, because it shows or changes them']
      : []),
    ...(sequential.length > 0 ? ['reads tables of few rows as a whole'] : []),
  ].join('; ');
}
