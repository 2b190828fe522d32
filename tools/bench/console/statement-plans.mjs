/**
 * What the plans of auto_explain say about a statement (PostgreSQL, "EXPLAIN", format JSON).
 *
 * @typedef {{
 *   'Node Type': string,
 *   'Actual Rows': number,
 *   'Actual Loops': number,
 *   'Schema'?: string,
 *   'Relation Name'?: string,
 *   'Index Name'?: string,
 *   'Index Cond'?: string,
 *   'Rows Removed by Filter'?: number,
 *   'Rows Removed by Index Recheck'?: number,
 *   'Plans'?: PlanNode[],
 * }} PlanNode numbers of rows are averages of the loops
 *
 * @typedef {{ text: string, plan: PlanNode }} LoggedPlan of one execution of a statement
 *
 * @typedef {object} StatementSummary of the executions of one statement with the same indexes
 * @property {string} text
 * @property {number} executions
 * @property {string[]} indexes that it used; those of the partitions of a table count as one
 * @property {string[]} sequential tables of which it read rows without an index
 * @property {number} rowsRead from tables, the most of an execution
 * @property {number} rowsReturned the most of an execution
 * @property {boolean} isIndexOnly whether it took all rows from indexes alone, or none
 * @property {boolean} readsMore whether it read many more rows than it returned
 * @property {string[]} faults
 */

/** A table of fewer rows is read as fast without an index: it has some hundred pages at most. */
const MANY_ROWS = 10_000;

/** A statement that reads so many rows, and so many for each one that it returns, becomes slow for accounts that have more. */
const READ_ROWS = 1_000;
const READ_PER_RETURNED = 10;

const INDEX_ONLY = 'Index Only Scan';
const TABLE_SCANS = new Set([
  'Seq Scan',
  'Sample Scan',
  'Index Scan',
  INDEX_ONLY,
  'Bitmap Heap Scan',
  'Tid Scan',
  'Tid Range Scan',
]);
const WITHOUT_INDEX = new Set(['Seq Scan', 'Sample Scan']);

/** @param {string} log of PostgreSQL in its format `stderr` @returns {LoggedPlan[]} */
export function readPlans(log) {
  const entries = log.matchAll(/LOG: {2}duration: [\d.]+ ms {2}plan:\n((?:\t.*\n)+)/g);
  return [...entries].map(([, json = '']) => {
    const { 'Query Text': text, Plan: plan } = JSON.parse(json);
    return { text: text.replace(/\s+/g, ' ').trim(), plan };
  });
}

/** @param {PlanNode} node @returns {PlanNode[]} the node and all nodes below it */
const nodesOf = (node) => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** @param {string} name such as `usage_events_2026_01_account` @returns {string} one name for all months */
const withoutMonth = (name) => name.replace(/_\d{4}_\d{2}(?=_|$)/, '_*');

/** @param {PlanNode} node */
const tableOf = (node) => `${node.Schema}.${node['Relation Name']}`;

/** @param {PlanNode} scan @returns {number} rows that it took from the table, those included that a filter removed */
const rowsReadBy = (scan) =>
  Math.round(
    (scan['Actual Rows'] +
      (scan['Rows Removed by Filter'] ?? 0) +
      (scan['Rows Removed by Index Recheck'] ?? 0)) *
      scan['Actual Loops'],
  );

/**
 * @param {PlanNode} scan
 * @param {Map<string, number>} tableRows
 * @returns {string[]} why the scan becomes slow as its table grows
 */
function faultsOf(scan, tableRows) {
  const table = tableOf(scan);
  const rows = tableRows.get(table) ?? 0;
  if (WITHOUT_INDEX.has(scan['Node Type']) && rows >= MANY_ROWS)
    return [`reads ${table} (${rows} rows) without an index`];
  const isWholeIndex = scan['Index Name'] !== undefined && scan['Index Cond'] === undefined;
  if (isWholeIndex && rowsReadBy(scan) >= MANY_ROWS)
    return [`reads ${rowsReadBy(scan)} rows of ${table} by ${scan['Index Name']} without a condition`];
  const discarded = Math.round((scan['Rows Removed by Filter'] ?? 0) * scan['Actual Loops']);
  if (discarded >= MANY_ROWS)
    return [`reads ${discarded} rows of ${table} that its index does not leave out`];
  return [];
}

/** @param {string[]} values */
const distinct = (values) => [...new Set(values)].sort();

/** @param {LoggedPlan} logged @param {Map<string, number>} tableRows @returns {StatementSummary} */
function summarize({ text, plan }, tableRows) {
  const nodes = nodesOf(plan);
  const scans = nodes.filter((node) => TABLE_SCANS.has(node['Node Type']));
  const sequential = scans.filter((node) => WITHOUT_INDEX.has(node['Node Type']) && rowsReadBy(node) > 0);
  const rowsRead = scans.reduce((sum, scan) => sum + rowsReadBy(scan), 0);
  const rowsReturned = Math.round(plan['Actual Rows']);
  return {
    text,
    executions: 1,
    isIndexOnly: scans.every(
      ({ 'Node Type': type, 'Actual Loops': loops }) => type === INDEX_ONLY || loops === 0,
    ),
    indexes: distinct(nodes.flatMap((node) => node['Index Name'] ?? []).map(withoutMonth)),
    sequential: distinct(sequential.map(tableOf).map(withoutMonth)),
    readsMore: rowsRead >= READ_ROWS && rowsRead > READ_PER_RETURNED * rowsReturned,
    rowsRead,
    rowsReturned,
    faults: distinct(scans.flatMap((scan) => faultsOf(scan, tableRows))),
  };
}

/** Whether it belongs to a request: the job queue polls meanwhile, and statements without tables have no plan to check. */
const ofRequest = (/** @type {LoggedPlan} */ { plan }) => {
  const schemas = nodesOf(plan).flatMap((node) => node.Schema ?? []);
  return (
    schemas.length > 0 && !schemas.every((schema) => schema.endsWith('_jobs') || schema === 'pg_catalog')
  );
};

/**
 * @param {LoggedPlan[]} plans
 * @param {Map<string, number>} tableRows by schema and name
 * @returns {StatementSummary[]} in the order in which the statements ran first
 */
export function summarizePlans(plans, tableRows) {
  /** @type {Map<string, StatementSummary>} */
  const summaries = new Map();
  for (const logged of plans.filter(ofRequest)) {
    const next = summarize(logged, tableRows);
    const key = JSON.stringify([next.text, next.indexes, next.sequential]);
    const earlier = summaries.get(key);
    if (earlier === undefined) {
      summaries.set(key, next);
      continue;
    }
    earlier.executions += 1;
    earlier.isIndexOnly &&= next.isIndexOnly;
    earlier.readsMore ||= next.readsMore;
    earlier.rowsRead = Math.max(earlier.rowsRead, next.rowsRead);
    earlier.rowsReturned = Math.max(earlier.rowsReturned, next.rowsReturned);
    earlier.faults = distinct([...earlier.faults, ...next.faults]);
  }
  return [...summaries.values()];
}
