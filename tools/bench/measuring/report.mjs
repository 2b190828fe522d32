/** The output of the benchmarks. */

/** @param {number[]} values @returns {number} NaN if there are none */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** @param {ArrayLike<number>} sorted in ascending order @param {number} share of 1 @returns {number} NaN if there are none */
export const percentile = (sorted, share) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;

/** @param {string[][]} rows the first of which is the heading; all columns but the first are numbers */
function columns(rows) {
  /** @param {number} column */
  const widthOf = (column) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widthOf(0)) : cell.padStart(widthOf(column))))
      .join('  '),
  );
}

/** @param {number} value @param {number} digits after the decimal point @returns {string} `-` for a value that is not finite */
export const figure = (value, digits) => (Number.isFinite(value) ? value.toFixed(digits) : '-');

/** @param {string} title @param {string[][]} rows see `columns` */
export function printRows(title, rows) {
  console.log(
    `\n${title}\n${columns(rows)
      .map((line) => `  ${line}`)
      .join('\n')}`,
  );
}

/**
 * @typedef {object} Measurement
 * @property {number} requests that were sent
 * @property {number} perSecond
 * @property {number} p50Ms until the last byte
 * @property {number} p99Ms
 * @property {number} cpuMs processor time of the contender's process per request; NaN if it cannot be read
 * @property {string[]} faults
 */

/**
 * @param {string} title
 * @param {import('../gateway/contenders.mjs').Contender[]} contenders
 * @param {Record<string, Measurement[]>} measurements
 */
export function printTable(title, contenders, measurements) {
  /** @param {string} key @param {'perSecond' | 'p50Ms' | 'p99Ms' | 'cpuMs'} field */
  const of = (key, field) => median((measurements[key] ?? []).map((measurement) => measurement[field]));
  /** @param {string} key */
  const throughput = (key) => of(key, 'perSecond');
  const rows = contenders.map(({ key, label }) => [
    label,
    figure(throughput(key), 0),
    figure(of(key, 'p50Ms'), 2),
    figure(of(key, 'p99Ms'), 2),
    figure(of(key, 'cpuMs'), 2),
    figure(throughput(key) / throughput('engine'), 3),
  ]);
  const heading = ['', 'req/s', 'p50 ms', 'p99 ms', 'CPU ms/req', '÷ (a)'];
  printRows(title, [heading, ...rows]);
}

/**
 * @typedef {{ what: string, value: number, unit: string, digits?: number, atLeast?: number, atMost?: number }} Verdict
 * @param {Verdict} verdict
 */
function judge(verdict) {
  const { value, unit, atLeast, atMost } = verdict;
  const target = atLeast ?? atMost;
  if (target === undefined) return '';
  const missedBy = atLeast === undefined ? value - target : target - value;
  const digits = digitsOf(verdict);
  const wanted = `target ${atLeast === undefined ? '≤' : '≥'} ${target}${unit}`;
  return missedBy <= 0 ? `${wanted}: met` : `${wanted}: missed by ${missedBy.toFixed(digits)}${unit}`;
}

/** @param {Verdict} verdict @returns {number} digits after the decimal point */
const digitsOf = ({ unit, digits }) => digits ?? (unit === ' ms' || unit === '×' ? 2 : 0);

/** @param {Verdict[]} verdicts */
export function printVerdicts(verdicts) {
  console.log('');
  for (const verdict of verdicts) {
    const { what, value, unit } = verdict;
    console.log(`${what}: ${figure(value, digitsOf(verdict))}${unit}  ${judge(verdict)}`.trimEnd());
  }
}

/** @param {string[]} lines */
export function printLedger(lines) {
  console.log(`\nLedger\n${lines.map((line) => `  ${line}`).join('\n')}`);
}
